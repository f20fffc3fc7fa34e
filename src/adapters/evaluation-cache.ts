import { rename } from 'node:fs/promises';
import { z } from 'zod';
import type { AttemptRecord } from '../domain/attempt.ts';
import { EvaluationResult, type EvaluateInput } from '../domain/evaluation.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { RunId } from '../domain/ids.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { searchSeed } from '../domain/run-plan.ts';
import { readJson, writeJsonAtomic } from './atomic-file.ts';
import { runPaths, sharedResultPath, type Home } from './layout.ts';

/**
 * Results that the runs of a project share (`cache: project`): one file per evaluation, by rename, in
 * `.scientist/evaluations`. The bytes of the attempt stay in the run that made it.
 *
 * K1 Only what the search needs again: a measured value on the search seed, without figures. Fresh seeds are
 *    run, or the spread over them would be that of an earlier run.
 * K2 Only finished evaluations. A failure may be the machine's or the moment's, and a time-out always is.
 * K3 A shared result is copied into the run that uses it, which then needs nobody else's files.
 */
const Entry = z.strictObject({
  v: z.literal(1),
  /** The run that made it, in whose folder the attempt lies as long as that is kept. */
  run: RunId,
  result: EvaluationResult,
});

/** Whether an evaluation of a run is taken from the project's results, and given to them (K1). */
export function isShared(run: ResolvedRun, input: Pick<EvaluateInput, 'kind' | 'seed'>): boolean {
  return run.config.cache === 'project' && input.kind === 'measure' && input.seed === searchSeed(run.plan);
}

/** Gives the result of an attempt to the other runs, if it is one to be shared. Never fails an evaluation that went well. */
export async function shareResult(home: Home, record: AttemptRecord, result: EvaluationResult): Promise<void> {
  if (!record.shared || result.status !== 'finished' || result.figures > 0) return;
  const entry: z.input<typeof Entry> = { v: 1, run: record.runId, result };
  // A full disk costs the next run an evaluation, and this one nothing.
  await writeJsonAtomic(sharedResultPath(home, record.evaluation), entry).catch(() => undefined);
}

/**
 * The result of an earlier run for the same evaluation, marked as cached and copied into this run (K3), with
 * `origin.json` saying where it is from; `null` when there is none. A damaged one is moved aside, and the
 * evaluation runs.
 */
export async function takeShared(home: Home, record: AttemptRecord): Promise<EvaluationResult | null> {
  if (!record.shared) return null;
  const entry = await readEntry(home, record);
  if (entry === null) return null;
  const { run, result } = entry;
  const folders = runPaths(home, record.runId);
  await writeJsonAtomic(folders.origin(record.evaluation), { run, attempt: result.attempt });
  await writeJsonAtomic(folders.result(record.evaluation), result);
  return { ...result, cached: true };
}

async function readEntry(home: Home, record: AttemptRecord): Promise<z.infer<typeof Entry> | null> {
  const path = sharedResultPath(home, record.evaluation);
  try {
    const entry = await readJson(path, Entry);
    if (entry.result.evaluation === record.evaluation && entry.result.status === 'finished') return entry;
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    if (error.type !== 'ArtifactCorrupt') return null;
  }
  await rename(path, `${path}.damaged`);
  return null;
}
