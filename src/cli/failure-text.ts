import { PlatformFailure } from '../domain/failure.ts';
import { isAway } from './run-client.ts';
import { EXIT, exitCodeOf, type ExitCode } from './exit-codes.ts';

/** A failure of a command itself: bad argument, unknown run, nothing to attach to. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  readonly fix: string;

  constructor(exitCode: ExitCode, message: string, fix: string) {
    super(message);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
    this.fix = fix;
  }
}

/** What a failed command prints, and its exit code. */
export interface FailureReport {
  readonly lines: readonly string[];
  readonly exitCode: ExitCode;
}

/**
 * One block for people: `error: what, where` and `fix: what to do`. The stack is shown only when
 * `SCIENTIST_DEBUG=1` asks for it, or nobody can read anything else from the error.
 */
export function describeFailure(error: unknown, env: NodeJS.ProcessEnv): FailureReport {
  const debug = env['SCIENTIST_DEBUG'] === '1';
  const known = knownFailure(error);
  const stack = debug && error instanceof Error && error.stack !== undefined ? [error.stack] : [];
  return { lines: [`error: ${known.message}`, `fix: ${known.fix}`, ...stack], exitCode: known.exitCode };
}

interface KnownFailure {
  readonly message: string;
  readonly fix: string;
  readonly exitCode: ExitCode;
}

function knownFailure(error: unknown): KnownFailure {
  if (error instanceof CliFailure) return error;
  if (error instanceof PlatformFailure) return { message: error.message, fix: error.fix, exitCode: exitCodeOf(error.type) };
  if (isAway(error)) return serverAway(error);
  return systemFailure(error) ?? unexpected(error);
}

function serverAway(error: unknown): KnownFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return {
    message: `the Temporal server, or every worker of the run, is away: ${cause instanceof Error ? cause.message : String(cause)}`,
    fix: 'host them with scientist up, or go on with the run by scientist resume; see scientist doctor',
    exitCode: EXIT.environment,
  };
}

const SYSTEM_FIXES: Readonly<Record<string, string>> = {
  EACCES: 'give yourself the right to read and write there, or choose another folder with SCIENTIST_HOME',
  EPERM: 'give yourself the right to read and write there, or choose another folder with SCIENTIST_HOME',
  EROFS: 'the file system is read-only: choose another folder with SCIENTIST_HOME',
  ENOSPC: 'the disk is full: free some space, then run the same command again; nothing that was finished is lost',
  EDQUOT: 'the disk quota is used up: free some space, then run the same command again',
  EMFILE: 'too many open files: raise the limit (ulimit -n 4096)',
  EADDRINUSE: 'the port is in use: end the program that holds it, see scientist doctor',
};

function systemFailure(error: unknown): KnownFailure | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const fix = SYSTEM_FIXES[error.code];
  return fix === undefined ? null : { message: error.message, fix, exitCode: EXIT.environment };
}

function unexpected(error: unknown): KnownFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    message: `unexpected: ${message}`,
    fix: 'run it again with SCIENTIST_DEBUG=1 to see where it happened, and report it; a run that was started is durable',
    exitCode: EXIT.internal,
  };
}
