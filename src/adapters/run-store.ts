import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { JournalEvent } from '../domain/journal.ts';
import { ResolvedRun } from '../domain/resolved-run.ts';
import { orNull, readJson, readJsonOrNull, writeFileAtomic, writeJsonAtomic } from './atomic-file.ts';
import { homePaths, runPaths, type Home } from './layout.ts';

/**
 * What a run was resolved to, and its journal, in the run's folder.
 *
 * S1 An event lies under its number in a file of its own. Writing it again changes nothing.
 * S2 When another event is written under a taken number, the run was reset to before it: that event and all
 *    later ones are moved to `journal/superseded-<n>/`, so that the journal is one history, and none is lost.
 */

const EVENT_FILE = /^(\d{7})\.json$/;
const READ_AT_ONCE = 32;

/** Writes `run.json`. */
export async function saveRun(home: Home, resolved: ResolvedRun): Promise<void> {
  await writeJsonAtomic(runPaths(home, resolved.plan.runId).runFile, resolved);
}

/**
 * Reads `run.json`.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`.
 */
export async function loadRun(home: Home, runId: string): Promise<ResolvedRun> {
  return readJson(runPaths(home, runId).runFile, ResolvedRun);
}

/** The ids of all runs with a `run.json`, sorted. */
export async function listRuns(home: Home): Promise<string[]> {
  const folders = (await orNull(readdir(homePaths(home).runs))) ?? [];
  const found = await Promise.all(folders.map((runId) => orNull(stat(runPaths(home, runId).runFile))));
  return folders.filter((_, index) => found[index] !== null).sort();
}

/** Writes one journal event (S1, S2). */
export async function writeEvent(home: Home, runId: string, event: JournalEvent): Promise<void> {
  const paths = runPaths(home, runId);
  const path = paths.event(event.seq);
  if (isDeepStrictEqual(await readJsonOrNull(path, JournalEvent), event)) return;
  if ((await orNull(stat(path))) !== null) await supersede(paths.journal, event.seq);
  await writeFileAtomic(path, `${JSON.stringify(JournalEvent.parse(event))}\n`);
}

/**
 * The journal in the order of its events; with `before`, only those with a lower number.
 *
 * @throws PlatformFailure `ArtifactCorrupt` when an event cannot be read.
 */
export async function readEvents(home: Home, runId: string, options: { before?: number } = {}): Promise<JournalEvent[]> {
  const { journal } = runPaths(home, runId);
  const numbers = (await eventNumbers(journal)).filter((seq) => seq < (options.before ?? Infinity));
  const events: JournalEvent[] = [];
  for (let at = 0; at < numbers.length; at += READ_AT_ONCE) {
    const batch = numbers.slice(at, at + READ_AT_ONCE);
    events.push(...(await Promise.all(batch.map((seq) => readJson(runPaths(home, runId).event(seq), JournalEvent)))));
  }
  return events;
}

async function eventNumbers(journal: string): Promise<number[]> {
  const names = (await orNull(readdir(journal))) ?? [];
  return names
    .flatMap((name) => EVENT_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function supersede(journal: string, from: number): Promise<void> {
  const earlier = (await readdir(journal)).filter((name) => name.startsWith('superseded-')).length;
  const aside = join(journal, `superseded-${earlier + 1}`);
  await mkdir(aside, { recursive: true });
  for (const seq of (await eventNumbers(journal)).filter((number) => number >= from)) {
    const name = `${String(seq).padStart(7, '0')}.json`;
    await rename(join(journal, name), join(aside, name));
  }
}
