import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationFailure,
  isGrpcServiceError,
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type WorkflowExecutionStatusName,
} from '@temporalio/client';
import { stageWorkflowId, type RunId, type StageName } from '../domain/ids.ts';
import { MESSAGES, ResearchResult, RunStatus, StageStatus, WORKFLOW_TYPES } from '../domain/messages.ts';
import type { ResearchInput } from '../domain/run-plan.ts';
import { retryingActivities, type RetryingActivity } from './retrying.ts';

/** How a new run is started. */
export interface StartRun {
  readonly runId: RunId;
  readonly input: ResearchInput;
  readonly taskQueue: string;
  readonly priority: number;
  readonly summary: string;
}

/** What the server says of a run. */
export interface RunDescription {
  readonly status: WorkflowExecutionStatusName;
  readonly startedAt: Date;
  readonly closedAt: Date | null;
}

/** An answer, or that nobody can answer now: the server or its workers are away, or know no such thing yet. */
export type Answer<T> = { readonly kind: 'answer'; readonly value: T } | { readonly kind: 'silent' };

/** The server answers at once or is away; a longer wait would freeze the view. */
const CALL_MS = 3000;
/** An update is answered by the workflow, so by a worker, which may be busy or being restarted. */
const UPDATE_MS = 30_000;
/** Pause before an update is sent again. */
const RETRY_MS = 200;

/** Typed access to the runs on a server. Every payload is parsed. */
export interface RunClient {
  /** Starts a run; `false` when a run of this id is or was there. */
  start(run: StartRun): Promise<boolean>;
  /** What the server says of a run, `null` when it knows none of this id. */
  describe(runId: string): Promise<RunDescription | null>;
  status(runId: string): Promise<Answer<RunStatus>>;
  stageStatus(runId: string, stage: StageName): Promise<Answer<StageStatus>>;
  /** What a workflow tries again and again now. */
  retrying(workflowId: string): Promise<RetryingActivity[]>;
  /** The result of a run that is complete. Throws `WorkflowFailedError` for one that failed. */
  result(runId: string): Promise<ResearchResult>;
  signal(runId: string, name: string, payload: unknown): Promise<void>;
  update(workflowId: string, name: string, payload: unknown): Promise<unknown>;
  cancel(runId: string): Promise<void>;
}

/** The runs behind a client. */
export function runClient(client: Client): RunClient {
  const handle = (id: string) => client.workflow.getHandle(id);
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + CALL_MS, call);
  const query = async (id: string): Promise<Answer<unknown>> => silentIfAway(() => soon(() => handle(id).query(MESSAGES.status)));
  return {
    start: (run) => startRun(client, run),
    describe: async (runId) => nullIfUnknown(() => soon(() => describe(client, runId))),
    status: async (runId) => parsed(await query(runId), RunStatus),
    stageStatus: async (runId, stage) => parsed(await query(stageWorkflowId(runId, stage)), StageStatus),
    retrying: (id) => soon(() => retryingActivities(client, id)),
    result: async (runId) => ResearchResult.parse(await handle(runId).result()),
    signal: (runId, name, payload) => soon(() => handle(runId).signal(name, payload)),
    update: (id, name, payload) => answeredUpdate(client, { id, name, payload }),
    cancel: async (runId) => {
      await soon(() => handle(runId).cancel());
    },
  };
}

interface Update {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Sends an update until it is answered. A stage that continues as new, or a server that is restarted, may lose one
 * on its way; under its own id it can be sent again, and a workflow that has it already only answers.
 */
async function answeredUpdate(client: Client, { id, name, payload }: Update): Promise<unknown> {
  const options = { args: [payload] as [unknown], updateId: randomUUID() };
  const end = Date.now() + UPDATE_MS;
  for (;;) {
    try {
      return await client.withDeadline(end, () => client.workflow.getHandle(id).executeUpdate(name, options));
    } catch (error) {
      if (!(isAway(error) || isLost(error)) || Date.now() + RETRY_MS >= end) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Whether an update was accepted by an execution that ended, or continued as new, before it answered. */
function isLost(error: unknown): boolean {
  if (!(error instanceof WorkflowUpdateFailedError)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === 'AcceptedUpdateCompletedWorkflow';
}

/** Whether an error says that the server is away, or that none of its workers answers. */
export function isAway(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  return isGrpcServiceError(error) || (error instanceof ServiceError && error.cause !== undefined);
}

async function startRun(client: Client, run: StartRun): Promise<boolean> {
  try {
    await client.workflow.start(WORKFLOW_TYPES.research, {
      workflowId: run.runId,
      taskQueue: run.taskQueue,
      args: [run.input],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: run.summary,
      priority: { priorityKey: run.priority },
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

async function describe(client: Client, runId: string): Promise<RunDescription> {
  const { status, startTime, closeTime } = await client.workflow.getHandle(runId).describe();
  return { status: status.name, startedAt: startTime, closedAt: closeTime ?? null };
}

async function nullIfUnknown<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function silentIfAway(call: () => Promise<unknown>): Promise<Answer<unknown>> {
  try {
    return { kind: 'answer', value: await call() };
  } catch (error) {
    const expected =
      isAway(error) || [WorkflowNotFoundError, QueryNotRegisteredError, QueryRejectedError].some((type) => error instanceof type);
    if (expected) return { kind: 'silent' };
    throw error;
  }
}

function parsed<T>(answer: Answer<unknown>, schema: { parse: (value: unknown) => T }): Answer<T> {
  return answer.kind === 'silent' ? answer : { kind: 'answer', value: schema.parse(answer.value) };
}
