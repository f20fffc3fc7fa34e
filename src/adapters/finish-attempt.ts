import { rename, rm } from 'node:fs/promises';
import type { AttemptRecord, ExitRecord } from '../domain/attempt.ts';
import { classify, type Verdict } from '../domain/classify.ts';
import { EvaluationResult } from '../domain/evaluation.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { EvaluationId } from '../domain/ids.ts';
import { readJson, writeJsonAtomic } from './atomic-file.ts';
import { attemptPaths, figureNames, removeTemporary } from './attempt-folder.ts';
import { shareResult } from './evaluation-cache.ts';
import { runPaths, type Home } from './layout.ts';
import { readPart, readResults } from './results-file.ts';

/** What an attempt left becomes the evaluation's `result.json`, by rename, once and for all. */

/** The part of the output in which an exception is looked for. */
const TAIL_BYTES = 64 * 1024;

/** A program may report this much at most, whatever it was allowed: the shim stops it at its own limit. */
export const MAX_RESULTS_BYTES = 64 * 2 ** 20;

/** Counts beyond this are not told apart. */
const MAX_FIGURES = 10_000;

/**
 * Makes and stores the result of an attempt that is dead and was neither cancelled nor lost. Doing it twice
 * gives the same result.
 */
export async function finishAttempt(home: Home, record: AttemptRecord, exit: ExitRecord): Promise<EvaluationResult> {
  const runFolder = runPaths(home, record.runId);
  const paths = attemptPaths(runFolder.attempt(record.evaluation, record.attempt));
  const figures = Math.min((await figureNames(paths.out)).length, MAX_FIGURES);
  const verdict = classify({
    kind: record.kind,
    metric: record.metric,
    dataset: record.dataset,
    exit,
    reported: await readResults(paths.results, MAX_RESULTS_BYTES),
    outputTail: (await readPart(paths.output, { from: 'end', maxBytes: TAIL_BYTES })) ?? '',
    figures,
  });
  const result = resultOf({ record, exit, verdict, figures });
  await writeJsonAtomic(runFolder.result(record.evaluation), result);
  await shareResult(home, record, result);
  await removeTemporary(paths);
  // With a result nobody goes on from the checkpoint; a folder that the program locked stays for `scientist clean`.
  await rm(runFolder.checkpoint(record.evaluation), { recursive: true, force: true }).catch(() => undefined);
  return result;
}

/**
 * The stored result of an evaluation, marked as taken from there; `null` when there is none. A damaged one is
 * moved aside, so that the evaluation runs again.
 */
export async function storedResult(home: Home, runId: string, id: EvaluationId): Promise<EvaluationResult | null> {
  const path = runPaths(home, runId).result(id);
  try {
    return { ...(await readJson(path, EvaluationResult)), cached: true };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    if (error.type === 'ArtifactCorrupt') await rename(path, `${path}.damaged`);
    return null;
  }
}

function resultOf(facts: { record: AttemptRecord; exit: ExitRecord; verdict: Verdict; figures: number }): EvaluationResult {
  const { record, exit, verdict, figures } = facts;
  const outcome = {
    evaluation: record.evaluation,
    attempt: record.attempt,
    device: record.device,
    durationMs: exit.duration_ms,
    peakMemoryMiB: exit.peak_memory_kib === null ? null : Math.round(exit.peak_memory_kib / 102.4) / 10,
    figures,
    cached: false,
  };
  if (verdict.status === 'finished') return EvaluationResult.parse({ ...outcome, ...verdict });
  return EvaluationResult.parse({ ...outcome, ...verdict, exitCode: exit.exit_code, signal: exit.signal });
}
