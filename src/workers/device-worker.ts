import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createDeviceActivities } from '../activities/index.ts';
import { takeDevice } from '../adapters/device-lock.ts';
import { sweepLeftovers } from '../adapters/leftovers.ts';
import { healthQueue, type Device } from '../domain/device.ts';
import { guardOf, tellOfLeftover } from './leftover-activity.ts';
import { reportLostActivities } from './lost-activities.ts';
import { workerIdentity } from './pending-activities.ts';
import { livingSupervisor } from './records.ts';
import { activityLog, watchServer, type ActivityLog } from './server-watch.ts';
import { pollingPart, runWorkerProcess, type Part, type WorkerContext } from './worker-process.ts';

/**
 * The worker of one device: one evaluation at a time on the device's queue, no workflows, and its health on
 * a queue of its own. It holds the device's lock before it looks at anything, and settles what an earlier
 * worker left behind before it polls: a training that goes on is adopted.
 */

await runWorkerProcess(deviceWorkers);

async function deviceWorkers(context: WorkerContext): Promise<Part[]> {
  const { device } = context.order;
  if (device === null) throw new TypeError('a device worker needs a device');
  await takeDevice(context.home, device);
  return [evaluationPart(context, device), pollingPart(await healthWorker(context, device))];
}

/** Settles leftovers, then polls. The process counts as ready meanwhile: an adopted training may take hours. */
function evaluationPart(context: WorkerContext, device: Device): Part {
  let worker: Worker | null = null;
  return {
    async run() {
      await settleLeftovers(context, device);
      if (context.stop.aborted) return;
      const activities = activityLog();
      worker = await evaluationWorker(context, device, activities);
      if (context.order.server.embedded) void watchServer(context, workerIdentity(nameOf(device)), activities);
      await worker.run();
    },
    shutdown: () => {
      if (worker?.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

async function settleLeftovers({ home, order, log, connect, stop }: WorkerContext, device: Device): Promise<void> {
  const connection = await connect();
  try {
    const client = new Client({ connection, namespace: order.server.namespace });
    for (const leftover of await sweepLeftovers(home, device.name, guardOf(client, stop, log)))
      await tellOfLeftover(client, leftover, { supervisor: (await livingSupervisor(home))?.identity ?? null, log });
    if (order.server.embedded) await reportLostActivities(client, nameOf(device), log);
  } finally {
    await connection.close();
  }
}

/** What a device's worker is called on the server, before its pid. */
function nameOf({ name, host }: Device): string {
  return `${name}@${host}`;
}

async function evaluationWorker(
  { home, order, connect }: WorkerContext,
  device: Device,
  { interceptor }: ActivityLog,
): Promise<Worker> {
  return Worker.create({
    connection: await connect(),
    namespace: order.server.namespace,
    taskQueue: device.queue,
    identity: workerIdentity(nameOf(device)),
    activities: createDeviceActivities({ home, device }).evaluation,
    interceptors: { activity: [interceptor] },
    maxConcurrentActivityTaskExecutions: 1,
    // A cancel and the latest metric travel with heartbeats; the default holds them back for 48 s.
    maxHeartbeatThrottleInterval: '2s',
    // The experiment is told to end at once, and gets exec.grace for it; the shim outlives us in any case.
    shutdownGraceTime: 0,
    shutdownForceTime: '20s',
  });
}

async function healthWorker({ home, order, connect }: WorkerContext, device: Device): Promise<Worker> {
  return Worker.create({
    connection: await connect(),
    namespace: order.server.namespace,
    taskQueue: healthQueue(device.queue),
    identity: `${workerIdentity(nameOf(device))} health`,
    activities: createDeviceActivities({ home, device }).health,
    maxConcurrentActivityTaskExecutions: 4,
    shutdownForceTime: '2s',
  });
}
