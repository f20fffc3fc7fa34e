import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Worker, bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import type { ControlActivities, DeviceActivities, ProposalActivities } from '../../src/domain/activities.ts';
import { controlQueue, proposalsQueue } from '../../src/domain/device.ts';
import type { EvaluateInput, EvaluationResult } from '../../src/domain/evaluation.ts';
import type { FailureReason } from '../../src/domain/failure.ts';
import { DeviceName, EvaluationId, Ref, RunId } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { JournalEnd } from '../../src/domain/journal-end.ts';
import type { ResearchResult, WriteReportInput } from '../../src/domain/messages.ts';
import type { Node } from '../../src/domain/node.ts';
import type { ProposeInput, ProposeResult } from '../../src/domain/proposal.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import type { WatchInput, WatchReport } from '../../src/domain/watch.ts';
import { workflowModules } from '../../src/workers/workflow-bundle.ts';
import { testPlan } from './plan.ts';
import type { TemporalServer } from './temporal-server.ts';

/**
 * The real workflows on the real server, with activities that answer from functions: for tests of what the
 * workflows do, in which order, whatever the experiments are.
 */
export interface WorkflowLab {
  /** Journal events in the order of their numbers; a number written twice with other content is an error. */
  readonly events: JournalEvent[];
  /** Every evaluation that was begun. */
  readonly evaluated: EvaluateInput[];
  readonly reports: WriteReportInput[];
  /** Starts the worker of a device that has none yet. */
  host(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** What the activities of a lab answer; each has a default. */
export interface LabActivities {
  readonly propose?: (input: ProposeInput) => Promise<ProposeResult> | ProposeResult;
  /** The value of an evaluation, or its whole result. */
  readonly evaluate?: (input: EvaluateInput) => Promise<number | EvaluationResult> | number | EvaluationResult;
  readonly recordEvent?: (event: JournalEvent) => Promise<void>;
  /** Names of the devices that have a worker from the start; all by default. */
  readonly hosted?: readonly string[];
  /** What the watch on the devices sees; by default nothing ever happens to them. */
  readonly watchDevices?: (input: WatchInput) => Promise<WatchReport>;
}

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** The workflow bundle, made once per test file. */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= bundleWorkflowCode({ ...workflowModules(), logger: new DefaultLogger('ERROR') });
  return bundle;
}

/** The experiment that the default proposer makes for an item: its content address is the hash of the item. */
export function refOf(text: string): Ref {
  return Ref.parse(createHash('sha256').update(text).digest('hex').slice(0, 32));
}

/** A finished evaluation with this value. */
export function finished(input: EvaluateInput, value: number | null): EvaluationResult {
  return { ...common(input), status: 'finished', value };
}

/** A failed evaluation. */
export function failed(input: EvaluateInput, reason: FailureReason = 'exception'): EvaluationResult {
  return { ...common(input), status: 'failed', reason, message: 'ValueError: no', exitCode: 1, signal: null };
}

function common(input: EvaluateInput) {
  return {
    evaluation: EvaluationId.parse(refOf(`${input.experiment}${input.dataset}${input.seed}`)),
    attempt: `${input.dispatch}.1`,
    device: DeviceName.parse('cpu0'),
    durationMs: 1,
    peakMemoryMiB: null,
    figures: 0,
    cached: false,
  };
}

/** Starts the workers of a lab for one plan: control, proposals and one per device. */
export async function startLab(server: TemporalServer, plan: RunPlan, activities: LabActivities = {}): Promise<WorkflowLab> {
  const events: JournalEvent[] = [];
  const evaluated: EvaluateInput[] = [];
  const reports: WriteReportInput[] = [];
  const control: ControlActivities = {
    resolveRun: () => Promise.resolve(plan),
    activeComponents: () => {
      const keys = plan.components.map(({ key }) => key);
      return Promise.resolve({ keys, intact: keys });
    },
    recordEvent: async ({ event }) => {
      await activities.recordEvent?.(event);
      if (events[event.seq] !== undefined && JSON.stringify(events[event.seq]) !== JSON.stringify(event))
        throw new Error(`event ${event.seq} changed`);
      events[event.seq] = event;
    },
    watchDevices: (input) => watchDevices(activities, input),
    journalEnd: ({ from }) => Promise.resolve(endOf(events, from)),
    writeReport: (input) => {
      reports.push(input);
      return Promise.resolve({ report: `runs/${input.runId}/report.md` });
    },
  };
  const proposals: ProposalActivities = { propose: async (input) => (activities.propose ?? proposed)(input) };
  const device: DeviceActivities = {
    evaluate: async (input) => {
      evaluated.push(input);
      const answer = await (activities.evaluate ?? valueOf)(input);
      return typeof answer === 'number' ? finished(input, input.kind === 'plot' ? null : answer) : answer;
    },
  };
  const deviceWorker = ({ queue }: { queue: string }): Promise<Worker> =>
    makeWorker(server, queue, { activities: device, maxConcurrentActivityTaskExecutions: 1 });
  const workers = await Promise.all([
    makeWorker(server, controlQueue(plan.queuePrefix), { activities: control, workflowBundle: await workflowBundle() }),
    makeWorker(server, proposalsQueue(plan.queuePrefix), { activities: proposals }),
    ...plan.devices.filter(({ name }) => activities.hosted?.includes(name) ?? true).map(deviceWorker),
  ]);
  const running = workers.map((worker) => worker.run());
  return {
    events,
    evaluated,
    reports,
    host: async (name) => {
      const wanted = plan.devices.find((candidate) => candidate.name === name);
      if (wanted === undefined) throw new Error(`the plan has no device ${name}`);
      const worker = await deviceWorker(wanted);
      workers.push(worker);
      running.push(worker.run());
    },
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
    },
  };
}

/** Beats, as the control worker does for activities that have nothing to tell, and ends when it is cancelled. */
async function watchDevices(activities: LabActivities, input: WatchInput): Promise<WatchReport> {
  const context = Context.current();
  const beat = setInterval(() => {
    context.heartbeat();
  }, 500);
  try {
    return await Promise.race([activities.watchDevices?.(input) ?? context.cancelled, context.cancelled]);
  } finally {
    clearInterval(beat);
  }
}

async function makeWorker(
  server: TemporalServer,
  taskQueue: string,
  options: Partial<Parameters<typeof Worker.create>[0]>,
): Promise<Worker> {
  return Worker.create({ ...options, connection: await server.connectWorker(), taskQueue });
}

/** The default proposer: another experiment for each item. */
export function proposed(input: ProposeInput): ProposeResult {
  const target = input.item.kind === 'node' ? (input.item.target ?? input.item.operator) : 'none';
  return { status: 'proposed', experiment: refOf(input.item.id), label: target, changed: ['x'], plan: `try ${input.item.id}` };
}

/** The default value of an experiment: a number between 0 and 1 that only its content decides. */
export function valueOf(input: EvaluateInput): number {
  return Number.parseInt(input.experiment.slice(0, 6), 16) / 0xffffff;
}

/** What a run of a test differs in. */
export interface RunOptions {
  readonly plan?: Partial<RunPlan>;
  readonly activities?: LabActivities;
}

/** A run that was started. */
export interface Research {
  readonly lab: WorkflowLab;
  readonly handle: WorkflowHandle<(input: unknown) => Promise<ResearchResult>>;
}

/** Starts a run on queues of its own and hands it to `use`; the workers are stopped in any case. */
export async function withRun<T>(
  server: TemporalServer,
  run: RunOptions & { runId: string },
  use: (run: Research) => Promise<T>,
): Promise<T> {
  const plan = testPlan({ ...run.plan, runId: RunId.parse(run.runId), queuePrefix: `${run.runId}.` });
  const lab = await startLab(server, plan, run.activities);
  try {
    const handle = await server.client.workflow.start<(input: unknown) => Promise<ResearchResult>>('research', {
      taskQueue: `${run.runId}.research`,
      workflowId: run.runId,
      args: [{ config: 'config/quick.yaml' }],
    });
    return await use({ lab, handle });
  } finally {
    await lab.stop();
  }
}

/** Runs to the end. */
export async function runToEnd(
  server: TemporalServer,
  runId: string,
  options: RunOptions = {},
): Promise<{ lab: WorkflowLab; result: ResearchResult }> {
  return withRun(server, { ...options, runId }, async ({ lab, handle }) => ({ lab, result: await handle.result() }));
}

/** Where a lab's journal ends. */
function endOf(events: readonly JournalEvent[], from: number): JournalEnd {
  const counted = events.filter(({ seq }) => seq >= from);
  const nodes = counted.flatMap((event) => (event.kind === 'node' ? [event.node] : []));
  const good = nodes.filter(({ status }) => status === 'good').length;
  return {
    nextSeq: events.length,
    good,
    buggy: nodes.length - good,
    dropped: counted.filter(({ kind }) => kind === 'dropped').length,
  };
}

/** The nodes of a lab's journal, in the order of their events. */
export function nodesOf(lab: Pick<WorkflowLab, 'events'>): Node[] {
  return lab.events.flatMap((event) => (event.kind === 'node' ? [event.node] : []));
}
