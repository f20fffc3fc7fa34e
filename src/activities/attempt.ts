import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { z } from 'zod';
import { hasCode } from '../adapters/atomic-file.ts';
import { clip, PlatformFailure } from '../domain/failure.ts';

/**
 * What all activities share: the input is parsed before anything happens, and whatever goes wrong leaves as
 * an `ApplicationFailure` with a type of the catalogue, or as the cancellation that it is.
 */

/** Longest failure message that is sent to the server. */
const MAX_MESSAGE = 2000;

/** Answers of the operating system that another try, or another device, may not get. */
const MACHINE_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space.',
  EDQUOT: 'The disk quota is used up: free some space.',
  EROFS: 'The disk is read-only: make it writable.',
  EACCES: 'No permission: give the worker’s user access to it.',
  EPERM: 'Not permitted: give the worker’s user access to it.',
  EMFILE: 'Too many open files: raise the limit (ulimit -n).',
  ENFILE: 'Too many open files on this machine.',
  EAGAIN: 'The machine refuses more processes: raise the limit (ulimit -u).',
  ENOMEM: 'The machine is out of memory: free some.',
  EIO: 'The disk does not answer: check it.',
};

/** An activity: parses its input with `schema`, then runs, with failures mapped by {@link toActivityFailure}. */
export function asActivity<S extends z.ZodType, O>(
  schema: S,
  run: (input: z.output<S>) => Promise<O>,
): (input: z.input<S>) => Promise<O> {
  return async (raw) => {
    try {
      return await run(schema.parse(raw));
    } catch (error) {
      throw toActivityFailure(error);
    }
  };
}

/**
 * What an activity throws for an error: failures of Temporal's own kinds as they are; a `PlatformFailure`
 * with its type; input that does not fit as `InvariantBroken`; an answer of the machine (disk full, no
 * permission) as the retryable `DiskFull` or `HostFailed`; anything else unchanged, which Temporal tries again.
 */
export function toActivityFailure(error: unknown): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const failure = platformFailure(error);
  if (failure === null) return error;
  return ApplicationFailure.create({
    type: failure.type,
    message: clip(`${failure.message} ${failure.fix}`.trim(), MAX_MESSAGE),
    nonRetryable: !failure.retryable,
    cause: failure,
  });
}

function platformFailure(error: unknown): PlatformFailure | null {
  if (error instanceof PlatformFailure) return error;
  if (error instanceof z.ZodError) {
    const message = `The data does not fit: ${z.prettifyError(error)}`;
    return new PlatformFailure('InvariantBroken', message, 'This is a defect of the program: please report it.', {
      cause: error,
    });
  }
  const words = error instanceof Error && 'code' in error ? MACHINE_WORDS[String(error.code)] : undefined;
  if (words === undefined || !(error instanceof Error)) return null;
  return new PlatformFailure(isNoSpace(error) ? 'DiskFull' : 'HostFailed', error.message, words, { cause: error });
}

function isNoSpace(error: Error): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT');
}
