import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Leftover } from '../adapters/leftovers.ts';
import type { ActivityAddress } from '../domain/attempt.ts';
import type { RoleLog } from './log.ts';

/**
 * Tells the server at once what became of an attempt that its worker did not live to tell, instead of letting
 * it find out by the heartbeat time-out: the result that was found, or that it is lost and may be tried again.
 *
 * L1 Only while that very try of that very execution is still the current one: the activity may have been
 *    tried again meanwhile, and its id alone would end a healthy try. The device's worker asks before it
 *    polls, so no try can begin on its queue between the question and the answer.
 */
export async function tellOfLeftover(client: Client, leftover: Leftover, log: RoleLog): Promise<void> {
  const { activity, result, attempt, evaluation, run, outcome } = leftover;
  log.warn(`left by an earlier worker: attempt ${attempt} of evaluation ${evaluation}, run ${run}: ${outcome}`);
  if (activity === null) return;
  try {
    if (!(await isCurrent(client, activity))) return;
    const id = { workflowId: activity.workflowId, runId: activity.executionId, activityId: activity.activityId };
    if (result !== null) await client.activity.complete(id, result);
    else
      await client.activity.fail(
        id,
        ApplicationFailure.create({ type: 'WorkerLost', message: `the worker of attempt ${attempt} was killed` }),
      );
  } catch (error) {
    // The heartbeat time-out says the same, later.
    log.warn(`the server could not be told of attempt ${attempt}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function isCurrent(client: Client, activity: ActivityAddress): Promise<boolean> {
  const described = await client.workflow.getHandle(activity.workflowId, activity.executionId).describe();
  const pending = described.raw.pendingActivities ?? [];
  return pending.some(
    ({ activityId, attempt, state }) => activityId === activity.activityId && attempt === activity.attempt && state === STARTED,
  );
}

/** `PENDING_ACTIVITY_STATE_STARTED` of the server's interface. */
const STARTED = 2;
