import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { ProcessIdentity } from '../adapters/process-identity.ts';
import { reportUndelivered, type OwnActivities } from './lost-activities.ts';
import { livingServer } from './records.ts';
import type { WorkerContext } from './worker-process.ts';
import { messageOf } from '../domain/failure.ts';

/** What a worker does when the project's own server was started again under it. */

const LOOK_MS = 1000;
/** What was handed out is begun, and what was done is reported, within that time after the server is back. */
const SETTLE_MS = 4000;

/** The activities that a process is at. */
export interface ActivityLog {
  readonly interceptor: (context: Context) => ActivityInterceptors;
  readonly has: (activity: { readonly runId: string; readonly activityId: string }) => boolean;
}

/** A log of the activities that a worker with this interceptor is at. */
export function activityLog(): ActivityLog {
  const running = new Set<string>();
  const keyOf = (runId: string, activityId: string): string => `${runId}/${activityId}`;
  return {
    has: ({ runId, activityId }) => running.has(keyOf(runId, activityId)),
    interceptor: ({ info }) => ({
      inbound: {
        async execute(input, next) {
          const key = keyOf(info.workflowExecution?.runId ?? '', info.activityId);
          running.add(key);
          try {
            return await next(input);
          } finally {
            running.delete(key);
          }
        },
      },
    }),
  };
}

/**
 * Until the process ends: after each new start of the server, tells it what its predecessor handed out in vain. What
 * cannot be told is left to the heartbeat time-out. Never rejects.
 */
export async function watchServer(context: WorkerContext, identity: string, activities: ActivityLog): Promise<void> {
  const { home, log, stop } = context;
  let known: ProcessIdentity | null = null;
  const isOver = (): boolean => stop.aborted;
  while (!isOver()) {
    try {
      const server = await livingServer(home);
      const isNew = server !== null && known !== null && server.identity.startTime !== known.startTime;
      known = server?.identity ?? known;
      if (isNew) await tellServer(context, { identity, isRunning: activities.has, before: Date.now() });
    } catch (error) {
      if (!isOver()) log.warn(`the new server could not be told: ${messageOf(error)}`);
    }
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function tellServer({ connect, order, log, stop }: WorkerContext, own: OwnActivities): Promise<void> {
  log.info('the server was started again');
  await sleep(SETTLE_MS, undefined, { signal: stop });
  const connection = await connect();
  try {
    await reportUndelivered(new Client({ connection, namespace: order.server.namespace }), own, log);
  } finally {
    await connection.close();
  }
}
