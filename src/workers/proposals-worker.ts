import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createProposalActivities } from '../activities/index.ts';
import { proposalsQueue } from '../domain/device.ts';
import { beating } from './beating.ts';
import { reportLostActivities, workerName } from './lost-activities.ts';
import { workerIdentity } from './pending-activities.ts';
import { recordedEvents } from './recorded-events.ts';
import { roleOf } from './records.ts';
import { pollingPart, runWorkerProcess, type WorkerContext } from './worker-process.ts';

/** The proposals worker: the only process with keys. A limit on calls at once protects providers and this host. */

const PROPOSALS_AT_ONCE = 8;

await runWorkerProcess(async (context) => [pollingPart(await proposalsWorker(context))]);

async function proposalsWorker({ home, order, log, connect }: WorkerContext): Promise<Worker> {
  const connection = await connect();
  const { namespace, embedded } = order.server;
  const name = workerName(roleOf(order));
  const client = new Client({ connection, namespace });
  if (embedded) await reportLostActivities(client, name, log);
  return Worker.create({
    connection,
    namespace,
    identity: workerIdentity(name),
    taskQueue: proposalsQueue(order.queuePrefix),
    activities: createProposalActivities({ home, recordedEvents: (runId) => recordedEvents(client, runId) }),
    interceptors: { activity: [beating] },
    maxConcurrentActivityTaskExecutions: PROPOSALS_AT_ONCE,
    shutdownForceTime: '15s',
  });
}
