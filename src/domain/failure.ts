import { z } from 'zod';

/**
 * The closed catalogue of what can go wrong. Two channels that never mix: a failed experiment is a value
 * (a reason on a node, a line in the counts), a failed platform is an exception with a type from the list
 * below. Nothing is ever recognised by the text of its message.
 */

/** Why a node is buggy. Closed list. */
export const FailureReason = z.enum([
  'exception',
  'exit_code',
  'signal',
  'out_of_memory',
  'timeout',
  'disk_quota',
  'output_too_large',
  'no_result',
  'bad_result',
  'proposal_malformed',
  'review_bug',
  'poison',
  'cancelled',
  'pruned',
  'infrastructure',
]);
export type FailureReason = z.infer<typeof FailureReason>;

/** What became of an item that made no node; counted and shown, never journalled as a node. */
export const DropReason = z.enum(['section_violation', 'duplicate', 'stale', 'conflict', 'exhausted', 'section_exhausted']);
export type DropReason = z.infer<typeof DropReason>;

/** Types of the platform's own failures (`ApplicationFailure.type`). */
export const PlatformFailureType = z.enum([
  'ConfigInvalid',
  'StrategyRefused',
  'NoDevice',
  'ProposerAuth',
  'ProposerUnavailable',
  'BudgetExceeded',
  'ArtifactMissing',
  'ArtifactCorrupt',
  'StateTooLarge',
  /** There is no space on the disk; whoever meets it waits until there is. */
  'DiskFull',
  /** The machine refused (no permission, no more processes); another try or device may do. */
  'HostFailed',
  'InvariantBroken',
]);
export type PlatformFailureType = z.infer<typeof PlatformFailureType>;

/** Type of the failure by which a device's worker says that an earlier one died with the attempt that it made. */
export const WORKER_LOST = 'WorkerLost';

/** The same where nothing of the activity ran, or all workers died together: it says nothing of the program. */
export const WORKER_GONE = 'WorkerGone';

/** What each reason means, in words for the report. */
export const REASON_TEXT: Readonly<Record<FailureReason, string>> = {
  exception: 'the program raised an exception',
  exit_code: 'the program ended with an exit code other than 0',
  signal: 'the program was ended by a signal',
  out_of_memory: 'the program used more memory than allowed',
  timeout: 'the program ran longer than exec.timeout',
  disk_quota: 'the program wrote more than its folder may hold',
  output_too_large: 'the program printed or reported more than allowed',
  no_result: 'the program ended without a final value',
  bad_result: 'the value is not finite, or its metric or dataset is unknown',
  proposal_malformed: 'the proposal could not be used',
  review_bug: 'a reviewer called it a bug',
  poison: 'it took its worker down on two devices',
  cancelled: 'a person cancelled it',
  pruned: 'it was pruned',
  infrastructure: 'the platform gave up after repeated failures that are not the program’s fault',
};

/** Who has to act for each platform failure, and what a retry could change. */
const RETRYABLE: ReadonlySet<PlatformFailureType> = new Set(['ProposerUnavailable', 'DiskFull', 'HostFailed']);

/**
 * A failure of the platform, thrown by adapters, proposers and the core; activities and workflows turn it
 * into an `ApplicationFailure` of the same type. `message` says what happened and where, `fix` what to do.
 */
export class PlatformFailure extends Error {
  readonly type: PlatformFailureType;
  readonly fix: string;

  constructor(type: PlatformFailureType, message: string, fix: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PlatformFailure';
    this.type = type;
    this.fix = fix;
  }

  /** Whether trying again may help; all others end at once. */
  get retryable(): boolean {
    return RETRYABLE.has(this.type);
  }
}

/** For the end of an exhaustive `switch`: reached only when a closed list was extended and this place was not. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value ${JSON.stringify(value)}`);
}

/**
 * Cuts a text to at most `max` UTF-16 units, keeping head and tail, so that messages and results stay small.
 * A character that the cut halves becomes U+FFFD, since half a character is no valid UTF-8.
 */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 7) return text.slice(0, max).toWellFormed();
  const half = Math.floor((max - 5) / 2);
  return `${text.slice(0, half)} ... ${text.slice(text.length - half)}`.toWellFormed();
}

/** A text on one line: line breaks and other control characters, which could also steer a terminal, are written out. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a thrown value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
