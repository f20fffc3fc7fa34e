import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../../src/domain/activities.ts';
import { controlQueue, proposalsQueue } from '../../src/domain/device.ts';
import { RunId } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { ResearchResult } from '../../src/domain/messages.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import { testPlan } from './plan.ts';
import type { TemporalServer } from './temporal-server.ts';
import { finished, proposed, valueOf, workflowBundle, type LabActivities } from './workflow-lab.ts';

/** Many runs on one control worker, each with a plan of its own: for tests of what workflows in one process share. */
export interface ManyRuns {
  /** Workflows that the control worker keeps in memory now. */
  cached(): number;
  start(runId: string): Promise<{ result(): Promise<ResearchResult> }>;
  /** The journal of a run, in the order of its numbers. */
  eventsOf(runId: string): JournalEvent[];
  stop(): Promise<void>;
}

/** Each stage holds one for its watch, and in a test that holds them back each evaluation one as well. */
const SLOTS = 400;

/** What the workers of many runs are made with. */
export interface ManyRunsOptions {
  readonly queuePrefix: string;
  readonly maxCachedWorkflows?: number;
  readonly planOf?: (runId: string) => Partial<RunPlan>;
  readonly evaluate?: LabActivities['evaluate'];
  /** Names of activities that no worker has. */
  readonly without?: readonly string[];
}

/** Starts the workers: one for the workflows and short activities, one for proposals, one for each device. */
export async function startManyRuns(server: TemporalServer, options: ManyRunsOptions): Promise<ManyRuns> {
  const journals = new Map<string, JournalEvent[]>();
  const { queuePrefix, maxCachedWorkflows = 100, without = [] } = options;
  const planOf = (runId: string) => testPlan({ ...options.planOf?.(runId), runId: RunId.parse(runId), queuePrefix });
  // A worker must have an activity, and may have one that nobody asks for.
  const served = (activities: object): Record<string, (...args: never[]) => Promise<unknown>> =>
    Object.fromEntries([
      ['unasked', () => Promise.resolve()],
      ...Object.entries(activities).filter(([name]) => !without.includes(name)),
    ]);
  const make = async (taskQueue: string, more: Partial<Parameters<typeof Worker.create>[0]>): Promise<Worker> =>
    Worker.create({
      ...more,
      connection: await server.connectWorker(),
      taskQueue,
      identity: `worker of ${taskQueue}`,
      maxConcurrentActivityTaskExecutions: SLOTS,
    });
  const activities = served(controlActivities(planOf, journals));
  const device: DeviceActivities = {
    evaluate: async (input) => {
      const answer = await (options.evaluate ?? valueOf)(input);
      return typeof answer === 'number' ? finished(input, input.kind === 'plot' ? null : answer) : answer;
    },
  };
  const propose: ProposalActivities = { propose: (input) => Promise.resolve(proposed(input)) };
  const control = await make(controlQueue(queuePrefix), {
    activities,
    workflowBundle: await workflowBundle(),
    maxCachedWorkflows,
  });
  const workers = [
    control,
    await make(proposalsQueue(queuePrefix), { activities: served(propose) }),
    ...(await Promise.all(planOf('any').devices.map(({ queue }) => make(queue, { activities: served(device) })))),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    cached: () => control.getStatus().numCachedWorkflows,
    start: (workflowId) =>
      server.client.workflow.start<(input: unknown) => Promise<ResearchResult>>('research', {
        workflowId,
        taskQueue: controlQueue(queuePrefix),
        args: [{ config: 'config/quick.yaml' }],
      }),
    eventsOf: (runId) => journals.get(runId) ?? [],
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
    },
  };
}

function controlActivities(planOf: (runId: string) => RunPlan, journals: Map<string, JournalEvent[]>): ControlActivities {
  return {
    resolveRun: () => Promise.resolve(planOf(Context.current().info.workflowExecution?.workflowId ?? '')),
    activeComponents: () => Promise.resolve({ keys: ['x', 'y', 'z'], intact: ['x', 'y', 'z'] }),
    recordEvent: ({ runId, event }) => {
      const journal = journals.get(runId) ?? [];
      journal[event.seq] = event;
      journals.set(runId, journal);
      return Promise.resolve();
    },
    journalEnd: ({ from }) => Promise.resolve({ nextSeq: from, good: 0, buggy: 0, dropped: 0 }),
    watchDevices: watchUntilCancelled,
    writeReport: ({ runId }) => Promise.resolve({ report: `runs/${runId}/report.md` }),
  };
}

async function watchUntilCancelled(): Promise<never> {
  const context = Context.current();
  const beat = setInterval(() => {
    context.heartbeat();
  }, 500);
  try {
    return await context.cancelled;
  } finally {
    clearInterval(beat);
  }
}
