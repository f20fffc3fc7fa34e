import { Worker } from '@temporalio/worker';
import { createProposalActivities } from '../activities/index.ts';
import { proposalsQueue } from '../domain/device.ts';
import { beating } from './beating.ts';
import { pollingPart, runWorkerProcess, type WorkerContext } from './worker-process.ts';

/** The proposals worker: the only process with keys. A limit on calls at once protects providers and this host. */

const PROPOSALS_AT_ONCE = 8;

await runWorkerProcess(async (context) => [pollingPart(await proposalsWorker(context))]);

async function proposalsWorker({ home, order, connect }: WorkerContext): Promise<Worker> {
  return Worker.create({
    connection: await connect(),
    namespace: order.server.namespace,
    taskQueue: proposalsQueue(order.queuePrefix),
    activities: createProposalActivities({ home }),
    interceptors: { activity: [beating] },
    maxConcurrentActivityTaskExecutions: PROPOSALS_AT_ONCE,
    shutdownForceTime: '15s',
  });
}
