import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Device } from '../domain/device.ts';
import type { EvaluateInput, EvaluationResult } from '../domain/evaluation.ts';
import type { CarriedNode } from '../domain/fork.ts';
import { rerunId, type RunId } from '../domain/ids.ts';
import { RerunRecord } from '../domain/reproduction.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { getExperiment } from './artifact-store.ts';
import { hasCode, writeJsonAtomic } from './atomic-file.ts';
import { evaluationId } from './evaluation-hash.ts';
import { runPaths, type Home } from './layout.ts';
import { readProgramOf, type Program } from './program.ts';
import { runAttempt } from './run-attempt.ts';

/**
 * Evaluations made again outside of any run, in `runs/<run>/reruns/<n>/`, from the artifacts of the run.
 *
 * R1 A rerun has an id of its own (domain/ids.ts), under which ledger, records and folders know it: the run's
 *    results are never touched, it counts as nothing doubled, and whoever takes the device after a kill finds it.
 * R2 No result is looked up: everything is run.
 */

/** A program that is run again, as the run would run it on this machine now. */
export interface RerunProgram {
  readonly home: Home;
  /** The run, with the Python environment of now. */
  readonly run: ResolvedRun;
  readonly node: CarriedNode;
  readonly program: Program;
}

/**
 * Reads the program of a node from the artifacts of its run.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`
 */
export async function readRerun(home: Home, run: ResolvedRun, node: CarriedNode): Promise<RerunProgram> {
  const program = await readProgramOf(home, run, await getExperiment(home, run.plan.runId, node.experiment));
  return { home, run, node, program };
}

/** Makes the folder of the next rerun of a run and gives its id; two that begin at once get two. */
export async function newRerun(home: Home, run: RunId): Promise<RunId> {
  const { reruns } = runPaths(home, run);
  await mkdir(reruns, { recursive: true });
  for (let number = 1; ; number += 1) {
    try {
      await mkdir(join(reruns, String(number)));
      return rerunId(run, number);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** What is run where. */
export interface RerunOrder {
  /** The id of the rerun ({@link newRerun}). */
  readonly id: RunId;
  /** Held by this process. */
  readonly device: Device;
  readonly dataset: string;
  readonly seed: number;
}

/**
 * Makes one evaluation. Nothing of it is alive when this returns or throws.
 *
 * @returns the result, or `null` when `signal` ended it
 * @throws PlatformFailure `HostFailed` when the machine failed it
 */
export async function rerunEvaluation(
  { home, run, node, program }: RerunProgram,
  { id, device, dataset, seed }: RerunOrder,
  signal: AbortSignal,
): Promise<EvaluationResult | null> {
  const input: EvaluateInput = {
    runId: id,
    stage: node.stage,
    node: node.id,
    experiment: node.experiment,
    kind: 'measure',
    dataset,
    seed,
    dispatch: 1,
  };
  const evaluation = await evaluationId({ run, input, program, deviceKind: device.kind });
  // Whatever the run does with its results, those of a rerun are given to nobody.
  const alone: ResolvedRun = { ...run, config: { ...run.config, cache: 'run' } };
  return runAttempt({ home, device, run: alone, input, program, evaluation, attempt: '1.1', activity: null }, signal);
}

/** Writes what a rerun found into its folder. */
export async function saveRerun(home: Home, id: RunId, record: RerunRecord): Promise<void> {
  await writeJsonAtomic(runPaths(home, id).rerunFile, RerunRecord.parse(record));
}
