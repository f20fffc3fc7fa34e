import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { IsWanted, Leftover } from '../adapters/leftovers.ts';
import { startedBefore, type ProcessIdentity } from '../adapters/process-identity.ts';
import { readProgress } from '../adapters/results-file.ts';
import type { ActivityAddress } from '../domain/attempt.ts';
import { isSameEvaluation, type EvaluationProgress } from '../domain/evaluation.ts';
import { messageOf, WORKER_GONE, WORKER_LOST } from '../domain/failure.ts';
import type { RoleLog } from './log.ts';
import { PENDING } from './pending-activities.ts';

/**
 * The activities that wait for attempts whose worker was killed. A training that goes on is kept alive for
 * them by heartbeats from here; then the server is told what became of it: the result, or that it is lost and
 * may be tried again at once, instead of after the heartbeat time-out.
 *
 * L1 Only while that very try of that very execution is still the current one: the activity may have been
 *    tried again meanwhile, and its id alone would end a healthy try. The device's worker asks before it
 *    polls, so no try can begin on its queue between the question and the answer.
 * L2 A training whose own try was given up goes on while another dispatch of its evaluation is open: that one
 *    waits for it (adapters/claim.ts), or will when it starts.
 */

/** What the server knows of an attempt's activity. */
interface Asked {
  /** The state of that very try; `null` when it is not the current one, or its execution is closed. */
  readonly state: number | null;
  /** Whether another dispatch of the same evaluation is open and not about to be cancelled. */
  readonly isElsewhere: boolean;
}

/** Beats for an attempt without a worker; unwanted = the workflow has gone on without it, or `stop` was asked for. */
export function guardOf(client: Client, stop: AbortSignal, log: RoleLog): IsWanted {
  const adopted = new Set<string>();
  const begin = Date.now();
  return async (record, paths) => {
    const { activity, attempt, metric, dataset } = record;
    if (activity === null || stop.aborted) return false;
    try {
      const { state, isElsewhere } = await ask(client, activity);
      if (state !== PENDING.started) return isElsewhere;
      const latest = await readProgress(paths.results, { metric: metric.name, dataset });
      await client.activity.heartbeat(idOf(activity), {
        attempt,
        elapsedMs: Date.now() - begin,
        latest,
      } satisfies EvaluationProgress);
      if (!adopted.has(paths.root))
        log.warn(`attempt ${attempt} of evaluation ${record.evaluation} outlived its worker: adopted`);
      adopted.add(paths.root);
    } catch (error) {
      // A server that is away wants it as much as before; one that refuses the beat says so in the next state.
      log.warn(`no beat for attempt ${attempt}: ${messageOf(error)}`);
    }
    return true;
  };
}

/**
 * Tells the server what became of an attempt. A loss counts against its program (domain/tries.ts) only where its
 * worker died alone: a supervisor that is younger than the attempt says that more went down than a program can take
 * with it, all workers or the machine.
 */
export async function tellOfLeftover(
  client: Client,
  leftover: Leftover,
  { supervisor, log }: { supervisor: ProcessIdentity | null; log: RoleLog },
): Promise<void> {
  const { activity, attempt, evaluation, run, outcome } = leftover;
  log.warn(`left by an earlier worker: attempt ${attempt} of evaluation ${evaluation}, run ${run}: ${outcome}`);
  if (activity === null) return;
  try {
    await tell(client, activity, { ...leftover, type: typeOfLoss(leftover.shim, supervisor) });
  } catch (error) {
    // The heartbeat time-out says the same, later.
    log.warn(`the server could not be told of attempt ${attempt}: ${messageOf(error)}`);
  }
}

/** The type of failure that a loss is reported as, from the process that led the attempt and the living supervisor. */
export function typeOfLoss(shim: ProcessIdentity | null, supervisor: ProcessIdentity | null): string {
  if (shim === null) return WORKER_GONE;
  return supervisor === null || startedBefore(supervisor, shim) ? WORKER_LOST : WORKER_GONE;
}

async function tell(
  client: Client,
  activity: ActivityAddress,
  { result, attempt, type }: Leftover & { type: string },
): Promise<void> {
  const { state } = await ask(client, activity);
  if (state !== PENDING.started && state !== PENDING.cancelRequested) return;
  if (result !== null) await client.activity.complete(idOf(activity), result);
  else if (state === PENDING.cancelRequested) await client.activity.reportCancellation(idOf(activity));
  else
    await client.activity.fail(
      idOf(activity),
      ApplicationFailure.create({ type, message: `the worker of attempt ${attempt} was killed` }),
    );
}

async function ask(client: Client, activity: ActivityAddress): Promise<Asked> {
  const { raw } = await client.workflow.getHandle(activity.workflowId, activity.executionId).describe();
  const pending = raw.pendingActivities ?? [];
  const current = pending.find(({ activityId, attempt }) => activityId === activity.activityId && attempt === activity.attempt);
  const others = pending.filter(
    ({ activityId, state }) =>
      activityId !== activity.activityId &&
      isSameEvaluation(activityId ?? '', activity.activityId) &&
      Number(state) !== PENDING.cancelRequested,
  );
  return { state: current?.state ?? null, isElsewhere: others.length > 0 };
}

function idOf(activity: ActivityAddress): { workflowId: string; runId: string; activityId: string } {
  return { workflowId: activity.workflowId, runId: activity.executionId, activityId: activity.activityId };
}
