import { randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { EvaluationResult } from '../domain/evaluation.ts';
import { rerunId, RunId } from '../domain/ids.ts';
import { openAttempts } from '../domain/ledger.ts';
import type { EvaluationOnDisk, Removal, RunOnDisk } from '../domain/retention.ts';
import { hasCode, orNull, readJsonOrNull, writeFileAtomic } from './atomic-file.ts';
import { bytesIn } from './disk-use.ts';
import { homePaths, runPaths, type Home } from './layout.ts';
import { readLedgers } from './ledger.ts';
import { listRuns, loadRun } from './run-store.ts';

/**
 * Looks at what could be removed, and removes it.
 *
 * U1 Nothing outside of `runs/` and `.scientist/evaluations/` is touched. A path through a link is left alone, and
 *    a link that lies in a removed folder is removed as a link.
 * U2 What goes is renamed first, beside its place, and deleted then: an interrupted clean leaves either the whole or
 *    a trash folder, which the next one deletes.
 */

const TRASH = '.trash-';
const ATTEMPTS = 'attempts';

/** What lies in the folders of some runs; `openRuns` tells of each whether the server calls it open. */
export async function lookAtRuns(home: Home, openRuns: ReadonlyMap<string, boolean | null>): Promise<RunOnDisk[]> {
  const { lines } = await readLedgers(home);
  const alive = openAttempts(lines).map(({ run }) => run);
  const runs: RunOnDisk[] = [];
  for (const runId of await listRuns(home)) {
    const parsed = RunId.safeParse(runId);
    if (parsed.success) runs.push(await lookAtRun(home, parsed.data, { open: openRuns.get(runId) ?? null, alive }));
  }
  return runs;
}

/** The files of the results that runs share, damaged ones included. */
export async function lookAtCache(home: Home): Promise<{ name: string; bytes: number }[]> {
  const folder = homePaths(home).sharedResults;
  const names = (await namesIn(folder)).filter((name) => !name.startsWith('.'));
  return Promise.all(names.map(async (name) => ({ name, bytes: await bytesIn(join(folder, name)) })));
}

/** What became of a removal. */
export type Removed = 'removed' | 'gone' | 'through_a_link';

/** Removes one thing (U1, U2). */
export async function remove(home: Home, removal: Removal): Promise<Removed> {
  const path = pathOf(home, removal);
  const root = removal.part === 'cache' ? homePaths(home).state : homePaths(home).runs;
  if (!(await isReallyBelow(root, path))) return 'through_a_link';
  if (removal.part === 'runs') await rememberId(home, removal.run);
  const trash = join(dirname(path), `${TRASH}${randomUUID().slice(0, 8)}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'gone';
    throw error;
  }
  await removeTree(trash);
  return 'removed';
}

/** Deletes what interrupted cleans left in the places where things are renamed; gives how many folders. */
export async function emptyTrash(home: Home): Promise<number> {
  const { runs, state, sharedResults } = homePaths(home);
  let count = 0;
  for (const [root, folder] of [
    ...(await trashPlaces(home)).map((place) => [runs, place] as const),
    [state, sharedResults] as const,
  ]) {
    for (const name of (await namesIn(folder)).filter((other) => other.startsWith(TRASH))) {
      if (!(await isReallyBelow(root, join(folder, name)))) continue;
      await removeTree(join(folder, name));
      count += 1;
    }
  }
  return count;
}

/** Ids of runs whose folders were removed: the server may still know them, so no new run gets one. */
export async function removedRunIds(home: Home): Promise<string[]> {
  const text = (await orNull(readFile(removedFile(home), 'utf8'))) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

/** The path of what a removal is about. */
export function pathOf(home: Home, removal: Removal): string {
  if (removal.part === 'cache') return join(homePaths(home).sharedResults, basename(removal.file));
  const paths = runPaths(home, removal.run);
  switch (removal.part) {
    case 'runs':
      return paths.root;
    case 'reruns':
      return join(paths.reruns, basename(removal.rerun));
    case 'checkpoints':
      return join(paths.evaluations, basename(removal.evaluation), 'checkpoint');
    case 'attempts':
      return join(paths.evaluations, basename(removal.evaluation), ATTEMPTS, basename(removal.attempt));
  }
}

async function lookAtRun(
  home: Home,
  runId: RunId,
  known: { open: boolean | null; alive: readonly string[] },
): Promise<RunOnDisk> {
  const paths = runPaths(home, runId);
  const evaluations: EvaluationOnDisk[] = [];
  for (const id of await namesIn(paths.evaluations)) evaluations.push(await lookAtEvaluation(join(paths.evaluations, id), id));
  const numbers = (await namesIn(paths.reruns)).filter((name) => /^[1-9]\d*$/.test(name));
  const reruns = numbers.map(async (name) => ({
    name,
    id: rerunId(runId, Number(name)),
    bytes: await bytesIn(join(paths.reruns, name)),
  }));
  const { reported, lastUsedAt } = await timesOf(home, runId);
  const run = await loadRun(home, runId).catch(() => null);
  return {
    runId,
    open: known.open,
    reported,
    unfinished: known.alive.filter((id) => id === runId || id.startsWith(`${runId}.rerun-`)),
    lastUsedAt,
    bytes: await bytesIn(paths.root),
    evaluations,
    reruns: await Promise.all(reruns),
    usesCache: run?.config.cache === 'project',
  };
}

async function lookAtEvaluation(folder: string, id: string): Promise<EvaluationOnDisk> {
  const result = await readJsonOrNull(join(folder, 'result.json'), EvaluationResult);
  const checkpoint = join(folder, 'checkpoint');
  const names = await namesIn(join(folder, ATTEMPTS));
  return {
    id,
    resultOf: result?.attempt ?? null,
    attempts: await Promise.all(
      names
        .filter((name) => !name.startsWith('.'))
        .map(async (name) => ({ name, bytes: await bytesIn(join(folder, ATTEMPTS, name)) })),
    ),
    checkpoint: (await orNull(lstat(checkpoint))) === null ? null : await bytesIn(checkpoint),
  };
}

/** A report that is older than the journal is one of before a reset, and the run went on. */
async function timesOf(home: Home, runId: string): Promise<{ reported: boolean; lastUsedAt: number }> {
  const paths = runPaths(home, runId);
  const timeOf = async (path: string): Promise<number | null> => (await orNull(lstat(path)))?.mtimeMs ?? null;
  const [report, journal, run] = await Promise.all([paths.reportData, paths.journal, paths.runFile].map(timeOf));
  const last = journal ?? 0;
  return {
    reported: typeof report === 'number' && report >= last,
    lastUsedAt: Math.max(report ?? 0, last, run ?? 0),
  };
}

/** The folders in which removals rename. */
async function trashPlaces(home: Home): Promise<string[]> {
  const { runs } = homePaths(home);
  const places = [runs];
  for (const runId of await listRuns(home)) {
    const paths = runPaths(home, runId);
    places.push(paths.reruns);
    for (const id of await namesIn(paths.evaluations))
      places.push(join(paths.evaluations, id), join(paths.evaluations, id, ATTEMPTS));
  }
  return places;
}

/** Whether a path lies below a folder by its real place too, so that no link on the way leads elsewhere. */
async function isReallyBelow(root: string, path: string): Promise<boolean> {
  const [realRoot, realParent] = await Promise.all([root, dirname(path)].map((folder) => orNull(realpath(folder))));
  if (typeof realRoot !== 'string' || typeof realParent !== 'string') return true;
  const below = relative(root, dirname(path));
  return realParent === join(realRoot, below) && below !== '..' && !below.startsWith(`..${sep}`);
}

/** Removes a folder, also one in which a program locked folders. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    await unlock(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function unlock(folder: string): Promise<void> {
  if ((await orNull(lstat(folder)))?.isDirectory() !== true) return;
  await chmod(folder, 0o700);
  for (const name of await namesIn(folder)) await unlock(join(folder, name));
}

async function rememberId(home: Home, runId: string): Promise<void> {
  const ids = await removedRunIds(home);
  if (!ids.includes(runId)) await writeFileAtomic(removedFile(home), [...ids, runId, ''].join('\n'));
}

function removedFile(home: Home): string {
  return join(homePaths(home).state, 'removed-runs');
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await orNull(readdir(folder))) ?? []).sort();
}
