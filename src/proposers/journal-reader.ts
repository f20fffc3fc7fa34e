import { stat } from 'node:fs/promises';
import { orNull } from '../adapters/atomic-file.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { journalNumbers, missingEvent, readEvent, resetsOf } from '../adapters/run-store.ts';
import { KeptJournal } from './kept-journal.ts';

/**
 * Gives the journal of a run with all events before a number entered; events at its end may be missing.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt` when an event is missing before others, or unreadable
 */
export interface JournalReader {
  (runId: string, before: number): Promise<KeptJournal>;
}

/** Nodes kept over all runs; above it the journals that were asked for longest ago are forgotten. */
const MOST_NODES = 50_000;

/** So many events more are looked for by their names, one by one; more by what lies in the folder. */
const FEW_EVENTS = 64;

interface Kept {
  journal: KeptJournal;
  /** Which `run.json` it belongs to, as a run may be removed and its id used again. */
  run: string;
  /** How often events were set aside (run-store S2) when it was read. */
  resets: number;
  /** One reads at a time. */
  turn: Promise<unknown>;
}

/**
 * A reader that reads each event once and keeps what proposers ask for, since a long run would otherwise read its
 * whole journal for each node. What it keeps is true as long as no event was set aside; it looks before and after.
 */
export function journalReader(home: Home): JournalReader {
  const all = new Map<string, Kept>();
  return async (runId, before) => {
    const kept = all.get(runId) ?? { journal: new KeptJournal(), run: '', resets: 0, turn: Promise.resolve() };
    all.delete(runId);
    all.set(runId, kept);
    const read = kept.turn.then(() => readUpTo(home, runId, kept, before));
    kept.turn = read.catch(() => undefined);
    const journal = await read;
    forgetOldest(all);
    return journal;
  };
}

async function readUpTo(home: Home, runId: string, kept: Kept, before: number): Promise<KeptJournal> {
  do {
    await startOverIfChanged(home, runId, kept);
    for (const seq of await missing(home, runId, kept.journal.next, before)) {
      const event = await readEvent(home, runId, seq);
      if (event !== null) kept.journal.enter(event);
      else if (((await journalNumbers(home, runId)).at(-1) ?? -1) > seq) throw missingEvent(runPaths(home, runId).event(seq));
    }
  } while (await startOverIfChanged(home, runId, kept));
  return kept.journal;
}

/** Forgets a journal that is no longer the one on disk; whether it was so. */
async function startOverIfChanged(home: Home, runId: string, kept: Kept): Promise<boolean> {
  const [file, resets] = await Promise.all([
    orNull(stat(runPaths(home, runId).runFile)),
    resetsOf(home, runId, kept.run === '' ? 0 : kept.resets),
  ]);
  const run = file === null ? 'none' : `${file.ino} ${file.mtimeMs}`;
  if (run === kept.run && resets === kept.resets) return false;
  Object.assign(kept, { journal: new KeptJournal(), run, resets: run === kept.run ? resets : await resetsOf(home, runId) });
  return true;
}

async function missing(home: Home, runId: string, from: number, before: number): Promise<number[]> {
  const end = before - from <= FEW_EVENTS ? before : await endBefore(home, runId, before);
  return Array.from({ length: Math.max(0, end - from) }, (_, index) => from + index);
}

/** The number after the last event that is there, of those with a lower number than `before`. */
async function endBefore(home: Home, runId: string, before: number): Promise<number> {
  return ((await journalNumbers(home, runId)).findLast((seq) => seq < before) ?? -1) + 1;
}

function forgetOldest(all: Map<string, Kept>): void {
  let nodes = [...all.values()].reduce((sum, { journal }) => sum + journal.size, 0);
  for (const [runId, { journal }] of all) {
    if (nodes <= MOST_NODES || all.size === 1) return;
    all.delete(runId);
    nodes -= journal.size;
  }
}
