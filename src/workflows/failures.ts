import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';

/** Failures at the edge of a workflow: what comes in is parsed, what goes out is typed. */

/** Parses what a workflow was started with; a bare `ZodError` would hang the run for ever. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(`the input does not fit: ${z.prettifyError(parsed.error)}`, 'ConfigInvalid');
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
  /** Whether another device could do better: a lost worker can be replaced, a missing artifact cannot. */
  readonly elsewhere: boolean;
}

/** Reads the failure of an activity; anything else is thrown on. */
export function readProblem(error: unknown): ActivityProblem {
  if (!(error instanceof ActivityFailure)) throw error;
  const cause = error.cause;
  if (cause instanceof TimeoutFailure) return { text: `no answer from the worker (${cause.timeoutType})`, elsewhere: true };
  if (cause instanceof ApplicationFailure)
    return { text: `${cause.type ?? 'failure'}: ${cause.message}`, elsewhere: cause.nonRetryable !== true };
  return { text: error.message, elsewhere: true };
}
