import { ApplicationFailure, CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { PlatformFailureType } from '../../domain/failure.ts';
import type { StageName } from '../../domain/ids.ts';
import type { ResearchResult } from '../../domain/messages.ts';
import { pause } from '../interruption.ts';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.ts';
import { isAway, type RunClient } from '../run-client.ts';
import type { Observation } from './observer.ts';

/** How following a run ended. */
export type Ending =
  | { readonly kind: 'finished'; readonly result: ResearchResult }
  | { readonly kind: 'failed'; readonly type: PlatformFailureType | null; readonly message: string; readonly fix: string | null }
  | { readonly kind: 'ended'; readonly how: 'cancelled' | 'terminated' | 'timed out' }
  | { readonly kind: 'parked'; readonly stage: StageName; readonly why: string }
  | { readonly kind: 'interrupted' };

const AGAIN_MS = 500;

/** The ending of a run that the server calls closed. Waits for a server that goes away just now. */
export async function endingOf(
  input: { client: RunClient; runId: string; signal: AbortSignal },
  seen: Observation,
): Promise<Ending> {
  const status = seen.description?.status;
  if (status === 'TERMINATED') return { kind: 'ended', how: 'terminated' };
  if (status === 'TIMED_OUT') return { kind: 'ended', how: 'timed out' };
  return resultOf(input);
}

async function resultOf({ client, runId, signal }: { client: RunClient; runId: string; signal: AbortSignal }): Promise<Ending> {
  while (!signal.aborted) {
    try {
      return { kind: 'finished', result: await client.result(runId) };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return failedEnding(error.cause);
      if (!isAway(error)) throw error;
      await pause(AGAIN_MS, signal);
    }
  }
  return { kind: 'interrupted' };
}

function failedEnding(cause: Error | undefined): Ending {
  if (cause instanceof CancelledFailure) return { kind: 'ended', how: 'cancelled' };
  const failure = rootFailure(cause);
  const type = PlatformFailureType.safeParse(failure?.type);
  const fix = failure?.details?.find((detail) => typeof detail === 'string');
  const message = failure?.message ?? cause?.message ?? 'the workflow failed';
  return { kind: 'failed', type: type.data ?? null, message, fix: typeof fix === 'string' ? fix : null };
}

/** The platform failure inside the wrappers that activities and children add. */
function rootFailure(cause: Error | undefined): ApplicationFailure | null {
  let at: unknown = cause;
  while (at instanceof Error) {
    if (at instanceof ApplicationFailure) return at;
    at = at.cause;
  }
  return null;
}

/** The exit code of a command that followed a run to this ending. */
export function exitCodeOfEnding(ending: Ending): ExitCode {
  switch (ending.kind) {
    case 'finished':
      return ending.result.best === null ? EXIT.noGoodNode : EXIT.done;
    case 'failed':
      return ending.type === null ? EXIT.internal : exitCodeOf(ending.type);
    case 'ended':
    case 'parked':
      return EXIT.internal;
    case 'interrupted':
      return EXIT.interrupted;
  }
}
