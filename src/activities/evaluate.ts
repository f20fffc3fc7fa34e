import { Context, type Info } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { getExperiment } from '../adapters/artifact-store.ts';
import { attemptPaths } from '../adapters/attempt-folder.ts';
import { releaseClaim, takeClaim } from '../adapters/claim.ts';
import { takeShared } from '../adapters/evaluation-cache.ts';
import { requireSpace } from '../adapters/disk-space.ts';
import { evaluationId } from '../adapters/evaluation-hash.ts';
import { storedResult } from '../adapters/finish-attempt.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { sweepLeftovers } from '../adapters/leftovers.ts';
import { readProgramOf } from '../adapters/program.ts';
import { readProgress } from '../adapters/results-file.ts';
import { recordOf, runAttempt, type AttemptJob } from '../adapters/run-attempt.ts';
import { loadRun } from '../adapters/run-store.ts';
import { takeOverWatch } from '../adapters/take-over.ts';
import type { ActivityAddress } from '../domain/attempt.ts';
import type { Device } from '../domain/device.ts';
import { EvaluateInput, type EvaluationProgress, type EvaluationResult } from '../domain/evaluation.ts';
import { asActivity } from './attempt.ts';

/**
 * The evaluation activity: one execution of a node's experiment on one dataset with one seed, on the device
 * of the worker that runs it.
 *
 * E1 An evaluation that has a result is answered with it; nothing runs.
 * E2 It ends, whichever way, only when nothing of the experiment is alive: the slot stands for the device.
 * E3 A failed experiment is a result. Only a cancellation or a failure of the machine is thrown.
 */

/** Beats are throttled by the worker; this is how fresh the reported value is. */
const BEAT_MS = 1000;

/** How often another attempt at the same evaluation is looked at. */
const CLAIM_POLL_MS = 200;

/** What the activity is made with. */
export interface EvaluateDeps {
  readonly home: Home;
  readonly device: Device;
}

/** Makes the activity `evaluate` of one device. It runs one at a time: its worker has one slot. */
export function makeEvaluate(deps: EvaluateDeps): (input: EvaluateInput) => Promise<EvaluationResult> {
  let mustSettle = false;
  return asActivity(EvaluateInput, async (input) => {
    if (mustSettle) await sweepLeftovers(deps.home, deps.device.name);
    mustSettle = true;
    const result = await evaluateHere(deps, input);
    mustSettle = false;
    return result;
  });
}

async function evaluateHere(deps: EvaluateDeps, input: EvaluateInput): Promise<EvaluationResult> {
  const context = Context.current();
  const job = await describeJob(deps, input, context.info);
  const stopBeating = startBeating(context, job);
  try {
    await requireSpace(runPaths(deps.home, input.runId).root);
    return (await resultOrNull(job, context.cancellationSignal)) ?? (await context.cancelled);
  } finally {
    stopBeating();
  }
}

async function describeJob({ home, device }: EvaluateDeps, input: EvaluateInput, info: Info): Promise<AttemptJob> {
  const run = await loadRun(home, input.runId);
  const program = await readProgramOf(home, run, await getExperiment(home, input.runId, input.experiment));
  const evaluation = await evaluationId({ run, input, program, deviceKind: device.kind });
  const attempt = `${input.dispatch}.${info.attempt}`;
  return { home, device, run, input, program, evaluation, attempt, activity: addressOf(info) };
}

function addressOf({ workflowExecution, activityId, attempt }: Info): ActivityAddress | null {
  if (workflowExecution === undefined) return null;
  return { workflowId: workflowExecution.workflowId, executionId: workflowExecution.runId, activityId, attempt };
}

/** The stored result, that of another attempt which is at it, or that of an attempt of our own; `null` when cancelled. */
async function resultOrNull(job: AttemptJob, signal: AbortSignal): Promise<EvaluationResult | null> {
  const record = recordOf(job);
  const takeOver = takeOverWatch(job.home, record);
  while (!signal.aborted) {
    await takeOver(performance.now());
    if (await takeClaim(job.home, record)) {
      try {
        const known = (await storedResult(job.home, record.runId, job.evaluation)) ?? (await takeShared(job.home, record));
        return known ?? (await runAttempt(job, signal));
      } finally {
        await releaseClaim(job.home, record);
      }
    }
    await sleep(CLAIM_POLL_MS);
  }
  return null;
}

/** Beats until the returned function is called, with the latest value that the program reported. */
function startBeating(context: Context, job: AttemptJob): () => void {
  const begin = Date.now();
  const { results } = attemptPaths(runPaths(job.home, job.input.runId).attempt(job.evaluation, job.attempt));
  const what = { metric: job.run.plan.metric.name, dataset: job.input.dataset };
  let isOver = false;
  const beat = async (): Promise<void> => {
    // Progress is a courtesy: what cannot be read now is read with the next beat, and in any case at the end.
    const latest = await readProgress(results, what).catch(() => null);
    if (!isOver) context.heartbeat({ attempt: job.attempt, elapsedMs: Date.now() - begin, latest } satisfies EvaluationProgress);
  };
  void beat();
  const timer = setInterval(() => void beat(), BEAT_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
