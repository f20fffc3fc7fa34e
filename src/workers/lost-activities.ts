import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { identityOf } from '../adapters/process-identity.ts';
import { WORKER_GONE } from '../domain/failure.ts';
import type { RoleLog } from './log.ts';
import { PENDING, pidOfWorker } from './pending-activities.ts';

/**
 * Activities that a killed worker had and of which nothing runs: it took them and had not begun, or had the
 * result and did not come to say so. The worker that comes after it tells the server, so that they are tried
 * again at once instead of after their heartbeat time-out.
 *
 * L3 Only before it polls, and only activities of a dead process of the same name on this host. It is asked of
 *    the project's own server alone: on another one, a process of that name may live where we cannot see it.
 */

/** A project has a handful of open workflows; the rest is left to the time-out. */
const MAX_WORKFLOWS = 500;

/** The name of this host's worker of a role (see `workerIdentity`). */
export function workerName(role: string): string {
  return `${role}@${hostname()}`;
}

/** Tells the server what dead processes of this name had; what cannot be told is left to the time-out. */
export async function reportLostActivities(client: Client, name: string, log: RoleLog): Promise<void> {
  try {
    let seen = 0;
    for await (const { workflowId, runId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      await reportOf(client, { workflowId, runId }, { name, log });
      if (++seen >= MAX_WORKFLOWS) return;
    }
  } catch (error) {
    log.warn(`lost activities could not be told: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function reportOf(
  client: Client,
  execution: { workflowId: string; runId: string },
  { name, log }: { name: string; log: RoleLog },
): Promise<void> {
  const { raw } = await client.workflow.getHandle(execution.workflowId, execution.runId).describe();
  for (const { activityId, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
    const worker = lastWorkerIdentity ?? '';
    if (typeof activityId !== 'string' || Number(state) !== PENDING.started || !isOfDead(worker, name)) continue;
    log.warn(`${worker} was killed with activity ${activityId} of ${execution.workflowId}: tried again`);
    const failure = ApplicationFailure.create({ type: WORKER_GONE, message: `${worker} was killed`, nextRetryDelay: 1 });
    await client.activity.fail({ ...execution, activityId }, failure);
  }
}

/** Whether it is a process of this name that is dead. A pid that another process has by now counts as alive. */
function isOfDead(identity: string, name: string): boolean {
  const pid = pidOfWorker(identity, name);
  return pid !== null && pid !== process.pid && identityOf(pid) === null;
}
