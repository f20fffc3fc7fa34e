import type { ExitRecord } from './attempt.ts';
import { durationText } from './duration.ts';
import type { EvaluationKind } from './evaluation.ts';
import { clip, type FailureReason } from './failure.ts';
import type { MetricSpec } from './metric.ts';
import type { Reported, ReportedValue } from './results.ts';
import { lastException, lastLine } from './traceback.ts';

/**
 * What an attempt that has ended was: a value, or one reason of the closed list. The first of these that
 * holds decides: a limit that was passed, a signal, an exception, an exit code, what was reported.
 */

/** Everything that is known of an attempt that has ended. */
export interface Evidence {
  readonly kind: EvaluationKind;
  readonly metric: MetricSpec;
  readonly dataset: string;
  readonly exit: ExitRecord;
  readonly reported: Reported;
  /** The end of the output, as text. */
  readonly outputTail: string;
  readonly figures: number;
}

/** What an attempt was. */
export type Verdict =
  | { readonly status: 'finished'; readonly value: number | null }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly message: string };

/** Longest message of a failure. */
const MAX_MESSAGE = 600;

/**
 * Classifies an attempt that ended by itself or by a limit.
 *
 * @throws RangeError for one that was cancelled or lost: that is no result of the program.
 */
export function classify(evidence: Evidence): Verdict {
  return passedLimit(evidence) ?? endedBadly(evidence) ?? reportedValue(evidence);
}

function passedLimit(evidence: Evidence): Verdict | null {
  const { exit } = evidence;
  switch (exit.reason) {
    case null:
      return null;
    case 'timeout':
      return failed('timeout', `ended after ${durationText(exit.duration_ms)}, the time limit${afterItsValue(evidence)}`);
    case 'out_of_memory':
      return failed('out_of_memory', `used more memory than allowed; the largest process had ${mebibytes(exit.peak_memory_kib)}`);
    case 'output_too_large':
      return failed('output_too_large', 'printed or reported more than exec.output allows');
    case 'disk_quota':
      return failed('disk_quota', 'wrote more than exec.disk, or made more files than exec.files allows');
    case 'folder_deleted':
      return failed('no_result', 'deleted the folder of its attempt, and with it what it had reported');
    case 'cancelled':
    case 'lost':
      throw new RangeError(`an attempt that was ${exit.reason} has no result`);
  }
}

/**
 * A final value without an end is no result: a program that holds its device until the time limit would be
 * kept, and so would all that is made from it. Whoever reads it is told that the end alone is missing.
 */
function afterItsValue({ reported, metric, dataset }: Evidence): string {
  const final = reported.finals.find((line) => line.metric === metric.name && line.dataset === dataset);
  if (final === undefined) return '';
  return `; it had reported its final value ${final.written}, and has to end after that`;
}

function endedBadly({ exit, outputTail }: Evidence): Verdict | null {
  if (exit.signal !== null) return failed('signal', `ended by ${exit.signal}${last(outputTail)}`);
  if (exit.exit_code === 0) return null;
  const exception = lastException(outputTail);
  if (exception !== null) return failed('exception', exception);
  return failed('exit_code', `ended with exit code ${exit.exit_code ?? 'unknown'}${last(outputTail)}`);
}

function reportedValue(evidence: Evidence): Verdict {
  if (evidence.kind === 'plot') return plotted(evidence);
  const { finals } = evidence.reported;
  if (finals.length === 0) return nothingReported(evidence);
  for (const line of finals) {
    const problem = problemOf(line, evidence);
    if (problem !== null) return failed('bad_result', problem);
  }
  const value = finals[0]?.value ?? null;
  if (finals.length > 1) return failed('bad_result', `reported ${finals.length} final values; exactly one is expected`);
  return { status: 'finished', value };
}

function plotted({ figures }: Evidence): Verdict {
  if (figures > 0) return { status: 'finished', value: null };
  return failed('no_result', 'the plot program drew no figure (PNG or SVG in the folder SCIENTIST_OUT)');
}

function nothingReported({ reported, outputTail, metric }: Evidence): Verdict {
  const exception = lastException(outputTail);
  if (exception !== null) return failed('exception', exception);
  const unreadable = reported.malformed === 0 ? '' : `; ${reported.malformed} lines of results.jsonl could not be read`;
  return failed('no_result', `ended without a final value of ${metric.name}${unreadable}`);
}

function problemOf(line: ReportedValue, { metric, dataset }: Evidence): string | null {
  if (line.metric !== metric.name) return `reported the metric ${line.metric}; the task's is ${metric.name}`;
  if (line.dataset !== dataset) return `reported a value for the dataset ${line.dataset}; it ran on ${dataset}`;
  if (line.value === null) return `reported ${line.written} for ${metric.name}, which is not a finite number`;
  if (line.direction !== null && line.direction !== metric.direction) {
    return `reported ${metric.name} as ${line.direction}; the task's direction is ${metric.direction}`;
  }
  return null;
}

function failed(reason: FailureReason, message: string): Verdict {
  return { status: 'failed', reason, message: clip(message, MAX_MESSAGE) };
}

function last(output: string): string {
  const line = lastLine(output);
  return line === null ? '' : `; the last line of its output: ${line}`;
}

function mebibytes(kib: number | null): string {
  return kib === null ? 'an unknown amount' : `${Math.round(kib / 1024)} MiB`;
}
