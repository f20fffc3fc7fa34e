import { stat } from 'node:fs/promises';
import type { WorkflowService } from '@temporalio/client';
import { orNull } from '../adapters/atomic-file.ts';
import type { Home } from '../adapters/layout.ts';
import { healthQueue, type Device } from '../domain/device.ts';
import { livingWorkers, recordPath } from './records.ts';

/**
 * Signs that devices live: the records that workers of this home touch every few seconds, and, for hosts that
 * share only the server, the heartbeats of workers that the server lists.
 */

const PAGE_SIZE = 1000;

/** The latest sign of each device that gave one, by queue; milliseconds since 1970 as text. */
export async function signsOfLife(
  at: { readonly home: Home; readonly workflowService: WorkflowService; readonly namespace: string },
  devices: readonly Device[],
): Promise<ReadonlyMap<string, string>> {
  const [beats, heartbeats] = await Promise.all([localBeats(at.home), serverHeartbeats(at)]);
  const signs = devices.flatMap(({ queue }) => {
    const times = [beats.get(queue), heartbeats.get(queue), heartbeats.get(healthQueue(queue))].filter(
      (time) => time !== undefined,
    );
    return times.length === 0 ? [] : [[queue, String(Math.max(...times))] as const];
  });
  return new Map(signs);
}

/** By queue, when the record of each living device worker that polls was last touched. */
async function localBeats(home: Home): Promise<Map<string, number>> {
  const beats = new Map<string, number>();
  for (const { role, order, state } of await livingWorkers(home)) {
    if (order.device === null || state !== 'ready') continue;
    const touched = await orNull(stat(recordPath(home, role)));
    if (touched !== null) beats.set(order.device.queue, touched.mtimeMs);
  }
  return beats;
}

/** By queue, the latest heartbeat of a worker; none where the server keeps no list or is away. */
async function serverHeartbeats(at: { workflowService: WorkflowService; namespace: string }): Promise<Map<string, number>> {
  const beats = new Map<string, number>();
  try {
    const { workersInfo } = await at.workflowService.listWorkers({ namespace: at.namespace, pageSize: PAGE_SIZE });
    for (const { workerHeartbeat } of workersInfo) {
      const { taskQueue, heartbeatTime } = workerHeartbeat ?? {};
      if (taskQueue === null || taskQueue === undefined || heartbeatTime === null || heartbeatTime === undefined) continue;
      const time = Number(heartbeatTime.seconds ?? 0) * 1000 + (heartbeatTime.nanos ?? 0) / 1e6;
      beats.set(taskQueue, Math.max(time, beats.get(taskQueue) ?? 0));
    }
  } catch {
    // An older server, or one that is away: the records of this home are enough for what it hosts.
  }
  return beats;
}
