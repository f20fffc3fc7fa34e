import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { z } from 'zod';
import { clip, messageOf, PlatformFailure, type PlatformFailureType, WORKER_GONE, WORKER_LOST } from '../domain/failure.ts';
import type { TryEnd } from '../domain/tries.ts';

/** Failures at the edge of a workflow: what comes in is parsed, what goes out is typed. */

/** Parses what a workflow was started with; a bare `ZodError` would hang the run for ever. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = readPayload(schema, input);
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(`the input does not fit: ${parsed.problem}`, 'ConfigInvalid');
}

/** What a payload is, or what is wrong with it, for people. */
export type ReadPayload<T> = { readonly success: true; readonly data: T } | { readonly success: false; readonly problem: string };

/** Longest text about what does not fit; it names keys, which may be of any length. */
const MAX_PROBLEM = 2000;

/** Parses what was sent, totally: what is nested deeper than the stack reaches does not fit either. */
export function readPayload<S extends z.ZodType>(schema: S, raw: unknown): ReadPayload<z.output<S>> {
  try {
    const parsed = schema.safeParse(raw);
    return parsed.success ? parsed : { success: false, problem: clip(z.prettifyError(parsed.error), MAX_PROBLEM) };
  } catch (error) {
    return { success: false, problem: `it cannot be read: ${messageOf(error)}` };
  }
}

/** A failure of the core as one that ends the workflow at once, with what to do in its message. */
export function toApplicationFailure(failure: PlatformFailure): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${failure.message}; ${failure.fix}`,
    type: failure.type,
    nonRetryable: !failure.retryable,
    cause: failure,
  });
}

/** Runs a part of the core and turns its typed failure into one of the workflow. */
export function orFailWorkflow<T>(decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    throw error instanceof PlatformFailure ? toApplicationFailure(error) : error;
  }
}

/** What is known of an activity that failed for good. */
export interface ActivityProblem {
  /** In one line, for people. */
  readonly text: string;
  /** What it says about the try, for the decision on another one (domain/tries.ts). */
  readonly ended: Exclude<TryEnd, 'interrupted'>;
}

const DISK_FULL: PlatformFailureType = 'DiskFull';
/** What the SDK reports for an activity that the worker does not have: of another version, as all of its kind. */
const UNKNOWN_ACTIVITY = 'NotFoundError';
/** A worker was told to end, or killed while nothing of the activity ran; or an operator paused or reset it. */
const STOPPED: readonly (string | null | undefined)[] = ['WorkerShutdown', WORKER_GONE, 'ActivityPause', 'ActivityReset'];

/** Reads the failure of an activity; anything else is thrown on. */
export function readProblem(error: unknown): ActivityProblem {
  if (!(error instanceof ActivityFailure)) throw error;
  const cause = error.cause;
  if (cause instanceof TimeoutFailure) return timeOut(cause);
  if (cause instanceof ApplicationFailure) {
    const where = cause.type === UNKNOWN_ACTIVITY ? ` (${error.identity ?? 'unknown worker'})` : '';
    return { text: `${cause.type ?? 'failure'}: ${cause.message}${where}`, ended: endOf(cause) };
  }
  return { text: error.message, ended: 'failed' };
}

/** Silence is a lost worker; a try that took longer than all its limits is a fault of the machine. */
function timeOut({ timeoutType }: TimeoutFailure): ActivityProblem {
  const text = `no answer from the worker (${timeoutType})`;
  return { text, ended: timeoutType === 'HEARTBEAT' ? 'lost' : 'failed' };
}

function endOf({ type, nonRetryable }: ApplicationFailure): ActivityProblem['ended'] {
  if (nonRetryable === true || type === UNKNOWN_ACTIVITY) return 'final';
  if (type === WORKER_LOST) return 'lost';
  if (type === DISK_FULL) return 'no_space';
  return STOPPED.includes(type) ? 'stopped' : 'failed';
}
