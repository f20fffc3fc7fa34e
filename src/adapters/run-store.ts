import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PlatformFailure } from '../domain/failure.ts';
import { rerunOf, RunId } from '../domain/ids.ts';
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
 *    That folder appears when all of them are in it and before the new event does: who has read events may keep
 *    them as long as there is no further such folder.
 * S3 What does not simply follow the last event is written only after the caller was asked: after a reset it may
 *    be the late word of an execution that is over.
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
  const names = (await orNull(readdir(homePaths(home).runs))) ?? [];
  // A folder that is being removed has a name that no run can have.
  const folders = names.filter((name) => RunId.safeParse(name).success && rerunOf(name) === null);
  const found = await Promise.all(folders.map((runId) => orNull(stat(runPaths(home, runId).runFile))));
  return folders.filter((_, index) => found[index] !== null).sort();
}

/** Writes one journal event (S1, S2); `check` throws when the writer may not change or skip what is there (S3). */
export async function writeEvent(
  home: Home,
  runId: string,
  event: JournalEvent,
  check: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const paths = runPaths(home, runId);
  const path = paths.event(event.seq);
  if (isDeepStrictEqual(await readJsonOrNull(path, JournalEvent), event)) return;
  const isTaken = (await orNull(stat(path))) !== null;
  const isNext = event.seq === 0 || (await orNull(stat(paths.event(event.seq - 1)))) !== null;
  if (isTaken || !isNext) await check();
  if (isTaken) await supersede(home, runId, event.seq);
  await writeFileAtomic(path, `${JSON.stringify(JournalEvent.parse(event))}\n`);
}

/**
 * The journal in the order of its events; with `before`, only those with a lower number.
 *
 * @throws PlatformFailure `ArtifactCorrupt` when an event cannot be read, `ArtifactMissing` when one is not there
 *   although a later one is
 */
export async function readEvents(home: Home, runId: string, options: { before?: number } = {}): Promise<JournalEvent[]> {
  const { journal } = runPaths(home, runId);
  const numbers = (await eventNumbers(journal)).filter((seq) => seq < (options.before ?? Infinity));
  const hole = numbers.findIndex((seq, index) => seq !== index);
  if (hole !== -1) throw missingEvent(runPaths(home, runId).event(hole));
  const events: JournalEvent[] = [];
  for (let at = 0; at < numbers.length; at += READ_AT_ONCE) {
    const batch = numbers.slice(at, at + READ_AT_ONCE);
    events.push(...(await Promise.all(batch.map((seq) => readJson(runPaths(home, runId).event(seq), JournalEvent)))));
  }
  return events;
}

/**
 * One event of the journal, `null` when it is not there.
 *
 * @throws PlatformFailure `ArtifactCorrupt` when it cannot be read.
 */
export async function readEvent(home: Home, runId: string, seq: number): Promise<JournalEvent | null> {
  try {
    return await readJson(runPaths(home, runId).event(seq), JournalEvent);
  } catch (error) {
    if (error instanceof PlatformFailure && error.type === 'ArtifactMissing') return null;
    throw error;
  }
}

/** The numbers of the events that are there, ascending. */
export async function journalNumbers(home: Home, runId: string): Promise<number[]> {
  return eventNumbers(runPaths(home, runId).journal);
}

/** How often events of the journal were set aside (S2); `known` of them need no look. */
export async function resetsOf(home: Home, runId: string, known = 0): Promise<number> {
  const { journal } = runPaths(home, runId);
  let resets = known;
  while ((await orNull(stat(join(journal, `superseded-${resets + 1}`)))) !== null) resets++;
  return resets;
}

/** What is thrown for an event that is not there although a later one is. */
export function missingEvent(path: string): PlatformFailure {
  return new PlatformFailure('ArtifactMissing', `${path} is not there.`, DAMAGED_FIX);
}

/** What can be read of a damaged journal, in order, and what cannot. */
export async function readableEvents(home: Home, runId: string): Promise<{ events: JournalEvent[]; damaged: PlatformFailure[] }> {
  const events: JournalEvent[] = [];
  const damaged: PlatformFailure[] = [];
  const last = (await journalNumbers(home, runId)).at(-1) ?? -1;
  for (let seq = 0; seq <= last; seq++) {
    try {
      const event = await readEvent(home, runId, seq);
      if (event === null) damaged.push(missingEvent(runPaths(home, runId).event(seq)));
      else events.push(event);
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      damaged.push(new PlatformFailure(error.type, error.message, DAMAGED_FIX));
    }
  }
  return { events, damaged };
}

const DAMAGED_FIX =
  'It is restored from the history of the run when the next node is proposed or the report is written; else restore it from a copy.';

async function eventNumbers(journal: string): Promise<number[]> {
  const names = (await orNull(readdir(journal))) ?? [];
  return names
    .flatMap((name) => EVENT_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** From the last one down, so that the number that is taken stays so until all is done, should this be broken off. */
async function supersede(home: Home, runId: string, from: number): Promise<void> {
  const paths = runPaths(home, runId);
  const number = (await resetsOf(home, runId)) + 1;
  const aside = join(paths.journal, `.superseding-${number}`);
  await mkdir(aside, { recursive: true });
  const later = (await eventNumbers(paths.journal)).filter((seq) => seq >= from);
  for (const seq of later.reverse()) await rename(paths.event(seq), join(aside, basename(paths.event(seq))));
  await rename(aside, join(paths.journal, `superseded-${number}`));
}
