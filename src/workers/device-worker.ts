import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createDeviceActivities } from '../activities/index.ts';
import { takeDevice } from '../adapters/device-lock.ts';
import { sweepLeftovers } from '../adapters/leftovers.ts';
import { healthQueue } from '../domain/device.ts';
import { tellOfLeftover } from './tell-of-leftover.ts';
import { runWorkerProcess, type WorkerContext } from './worker-process.ts';

/**
 * The worker of one device: one evaluation at a time on the device's queue, no workflows, and its health on
 * a queue of its own. It holds the device's lock before it looks at anything, and ends what an earlier
 * worker left behind before it polls.
 */

await runWorkerProcess(deviceWorkers);

async function deviceWorkers({ home, order, log, connect }: WorkerContext): Promise<Worker[]> {
  const { device, server } = order;
  if (device === null) throw new TypeError('a device worker needs a device');
  await takeDevice(home, device);
  const leftovers = await sweepLeftovers(home, device.name);
  const activities = createDeviceActivities({ home, device });
  const [main, control] = await Promise.all([connect(), connect()]);
  const client = new Client({ connection: main, namespace: server.namespace });
  for (const leftover of leftovers) await tellOfLeftover(client, leftover, log);
  const evaluations = await Worker.create({
    connection: main,
    namespace: server.namespace,
    taskQueue: device.queue,
    identity: `${device.name}@${device.host} (${process.pid})`,
    activities: activities.evaluation,
    maxConcurrentActivityTaskExecutions: 1,
    // A cancel and the latest metric travel with heartbeats; the default holds them back for 48 s.
    maxHeartbeatThrottleInterval: '2s',
    // The experiment is told to end at once, and gets exec.grace for it; the shim outlives us in any case.
    shutdownGraceTime: 0,
    shutdownForceTime: '20s',
  });
  const health = await Worker.create({
    connection: control,
    namespace: server.namespace,
    taskQueue: healthQueue(device.queue),
    identity: `${device.name}@${device.host} (${process.pid}) health`,
    activities: activities.health,
    maxConcurrentActivityTaskExecutions: 4,
    shutdownForceTime: '2s',
  });
  return [evaluations, health];
}
