import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { identityOf } from '../adapters/process-identity.ts';
import { messageOf, WORKER_GONE } from '../domain/failure.ts';
import type { RoleLog } from './log.ts';
import { PENDING, pidOfWorker } from './pending-activities.ts';

/**
 * Activities that a killed worker had and of which nothing runs: it took them and had not begun, or had the
 * result and did not come to say so. The worker that comes after it tells the server, so that they are tried
 * again at once instead of after their heartbeat time-out.
 *
 * L3 Only before it polls, and only activities of a dead process of the same name on this host. It is asked of
 *    the project's own server alone: on another one, a process of that name may live where we cannot see it.
 *
 * The same holds for what a killed server had handed out while its answer never came.
 *
 * L4 Only what the server handed out before it was gone, to this very process, which is not at it.
 */

/** A project has a handful of open workflows; the rest is left to the time-out. */
const MAX_WORKFLOWS = 500;

/** The name of this host's worker of a role (see `workerIdentity`). */
export function workerName(role: string): string {
  return `${role}@${hostname()}`;
}

/** Tells the server what dead processes of this name had; what cannot be told is left to the time-out. */
export function reportLostActivities(client: Client, name: string, log: RoleLog): Promise<void> {
  return report(client, log, ({ worker }) => (isOfDead(worker, name) ? `${worker} was killed` : null));
}

/** What a worker knows of its own activities. */
export interface OwnActivities {
  /** The identity of its process on the server. */
  readonly identity: string;
  /** Whether it has begun that activity and not ended it. */
  readonly isRunning: (activity: StartedActivity) => boolean;
  /** When the server that handed them out was gone, ms since 1970. */
  readonly before: number;
}

/**
 * Tells a server that was started again which activities the one before it had handed to this worker, which never got
 * them: its answer died with it.
 */
export function reportUndelivered(client: Client, own: OwnActivities, log: RoleLog): Promise<void> {
  const isUndelivered = (activity: StartedActivity): boolean =>
    activity.worker === own.identity && activity.startedAt < own.before && !own.isRunning(activity);
  return report(client, log, (activity) => (isUndelivered(activity) ? `${activity.worker} never got it` : null));
}

/** An activity that a worker has, as the server knows it. */
export interface StartedActivity {
  readonly runId: string;
  readonly activityId: string;
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Reports as failed what `whyLost` has a reason for. */
async function report(client: Client, log: RoleLog, whyLost: (activity: StartedActivity) => string | null): Promise<void> {
  try {
    let seen = 0;
    for await (const { workflowId, runId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      await reportOf(client, { workflowId, runId }, { whyLost, log });
      if (++seen >= MAX_WORKFLOWS) return;
    }
  } catch (error) {
    log.warn(`lost activities could not be told: ${messageOf(error)}`);
  }
}

async function reportOf(
  client: Client,
  execution: { workflowId: string; runId: string },
  { whyLost, log }: { whyLost: (activity: StartedActivity) => string | null; log: RoleLog },
): Promise<void> {
  const { raw } = await client.workflow.getHandle(execution.workflowId, execution.runId).describe();
  for (const { activityId, state, lastWorkerIdentity, lastStartedTime } of raw.pendingActivities ?? []) {
    if (typeof activityId !== 'string' || Number(state) !== PENDING.started) continue;
    const startedAt = optionalTsToMs(lastStartedTime) ?? Infinity;
    const why = whyLost({ runId: execution.runId, activityId, worker: lastWorkerIdentity ?? '', startedAt });
    if (why === null) continue;
    log.warn(`activity ${activityId} of ${execution.workflowId} is tried again: ${why}`);
    const failure = ApplicationFailure.create({ type: WORKER_GONE, message: why, nextRetryDelay: 1 });
    await client.activity.fail({ ...execution, activityId }, failure);
  }
}

/** Whether it is a process of this name that is dead. A pid that another process has by now counts as alive. */
function isOfDead(identity: string, name: string): boolean {
  const pid = pidOfWorker(identity, name);
  return pid !== null && pid !== process.pid && identityOf(pid) === null;
}
