import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createControlActivities } from '../activities/index.ts';
import { controlQueue } from '../domain/device.ts';
import { beating } from './beating.ts';
import { signsOfLife } from './life-signs.ts';
import { reportLostActivities, workerName } from './lost-activities.ts';
import { ownStrategies, type OwnStrategies } from './own-strategies.ts';
import { prepareServer, registeredSearchAttributes } from './prepare-server.ts';
import { workerIdentity } from './pending-activities.ts';
import { recordedEvents } from './recorded-events.ts';
import { hostedDevices, roleOf } from './records.ts';
import { pollingPart, runWorkerProcess, type WorkerContext } from './worker-process.ts';

/** The control worker: the workflows, and the short activities beside them. */

/** The default grows with the machine's memory; a cached workflow costs about a megabyte, replay 0.2 ms an event. */
const CACHED_WORKFLOWS = 200;
/** Every stage that runs holds one all the time, to watch its devices; the default of 100 would stop more runs than that. */
const ACTIVITIES = 1000;

await runWorkerProcess(async (context) => {
  const own = ownStrategies(context.home, context.log);
  return [pollingPart(await controlWorker(context, own)), (await own).watch];
});

async function controlWorker({ home, order, log, connect }: WorkerContext, own: Promise<OwnStrategies>): Promise<Worker> {
  const [connection, { codePath, nameOf }] = await Promise.all([connect(), own]);
  const client = new Client({ connection, namespace: order.server.namespace });
  const name = workerName(roleOf(order));
  if (order.server.embedded) {
    await prepareServer(connection, order.server.namespace);
    await reportLostActivities(client, name, log);
  }
  const { workflowService } = connection;
  return Worker.create({
    connection,
    namespace: order.server.namespace,
    taskQueue: controlQueue(order.queuePrefix),
    identity: workerIdentity(name),
    workflowBundle: { codePath },
    activities: createControlActivities({
      recordedEvents: (runId) => recordedEvents(client, runId),
      home,
      queuePrefix: order.queuePrefix,
      hostedDevices: () => hostedDevices(home),
      strategyName: nameOf,
      registeredSearchAttributes: () => registeredSearchAttributes(connection, order.server.namespace),
      signsOfLife: (devices) => signsOfLife({ home, workflowService, namespace: order.server.namespace }, devices),
    }),
    interceptors: { activity: [beating] },
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: ACTIVITIES,
    // How long a task waits for a control worker that was killed; the default is 10 s.
    stickyQueueScheduleToStartTimeout: '3s',
    // What the parsing of an input or a message throws fails the workflow; any other error would leave it hanging.
    workflowFailureErrorTypes: { '*': ['ZodError'] },
    shutdownForceTime: '15s',
  });
}
