import type { PlatformFailureType } from '../domain/failure.ts';

/** The exit codes of every command. They are contract: scripts branch on them. */
export const EXIT = {
  done: 0,
  internal: 1,
  input: 2,
  environment: 3,
  noGoodNode: 4,
  interrupted: 130,
} as const;
/** One of the exit codes. */
/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each code means, as `--help` shows it. */
export const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'a fault of the program, a run that failed, was cancelled or waits for a person, or a rerun that gave another result',
  2: 'a config, name or argument that cannot work',
  3: 'something missing, in use or away on this machine',
  4: 'the run ended, but found no good node',
  130: 'interrupted; the run is durable and can be resumed',
};

const CODE_OF: Readonly<Record<PlatformFailureType, ExitCode>> = {
  ConfigInvalid: EXIT.input,
  StrategyRefused: EXIT.input,
  NoDevice: EXIT.environment,
  ProposerAuth: EXIT.environment,
  ProposerUnavailable: EXIT.environment,
  BudgetExceeded: EXIT.input,
  ArtifactMissing: EXIT.environment,
  ArtifactCorrupt: EXIT.environment,
  DiskFull: EXIT.environment,
  HostFailed: EXIT.environment,
  StateTooLarge: EXIT.internal,
  InvariantBroken: EXIT.internal,
};

/** The exit code of a platform failure; the table is exhaustive over the catalogue. */
export function exitCodeOf(type: PlatformFailureType): ExitCode {
  return CODE_OF[type];
}

/** The exit codes as lines for `--help`. */
export function exitCodeLines(): string[] {
  return Object.entries(EXIT_MEANING).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
}
