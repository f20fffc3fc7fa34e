import { z } from 'zod';

/**
 * The text of `results.jsonl`, the contract with an experiment program: a line with `step` is progress, one
 * without is final. Whatever a program may write there is read as data; nothing here throws.
 */

/** A line that could be read. `value` is `null` when it is not a finite number: a bad result, never a value. */
export interface ReportedValue {
  readonly metric: string;
  readonly dataset: string;
  readonly value: number | null;
  /** What stood there, for people. */
  readonly written: string;
  /** The direction, where the program states one. */
  readonly direction: string | null;
  readonly step: number | null;
}

/** What a program reported. */
export interface Reported {
  /** In the order of the file. */
  readonly progress: readonly ReportedValue[];
  readonly finals: readonly ReportedValue[];
  /** Lines that are neither; after {@link MOST_MALFORMED} of them nothing more is read. */
  readonly malformed: number;
}

/** A line of the contract is far shorter; reading a longer one could hold up the worker for minutes. */
export const LONGEST_LINE = 4096;

/** A file with this many unreadable lines is not what the contract means, and reading on would hold up the worker. */
export const MOST_MALFORMED = 10_000;

const Line = z.object({
  metric: z.string().min(1).max(64),
  dataset: z.string().min(1).max(60),
  value: z.unknown(),
  step: z.number().int().min(0).nullish(),
  direction: z.string().max(20).nullish(),
});

/** Strings, and the numbers that Python writes and JSON does not know. */
const NON_FINITE = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** Reads the whole file's text. */
export function readReported(text: string): Reported {
  const progress: ReportedValue[] = [];
  const finals: ReportedValue[] = [];
  let malformed = 0;
  for (const line of linesOf(text)) {
    const read = readLine(line);
    if (read === null) malformed++;
    else (read.step === null ? finals : progress).push(read);
    if (malformed === MOST_MALFORMED) break;
  }
  return { progress, finals, malformed };
}

/** The lines that are not empty, one by one: a program may write millions of empty ones. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    if (line.trim() !== '') yield line;
    start = end === -1 ? text.length : end + 1;
  }
}

/** The latest finite value of a metric on a dataset, final or not; `null` before there is one. */
export function latestValue(reported: Reported, metric: string, dataset: string): { value: number; step: number | null } | null {
  const ofMetric = [...reported.progress, ...reported.finals].filter(
    (line) => line.metric === metric && line.dataset === dataset,
  );
  const last = ofMetric.findLast((line) => line.value !== null);
  return last?.value === undefined || last.value === null ? null : { value: last.value, step: last.step };
}

/** One line; `null` when it is not of the contract's form. */
function readLine(line: string): ReportedValue | null {
  if (line.length > LONGEST_LINE) return null;
  const parsed = Line.safeParse(parseJson(line));
  if (!parsed.success || !('value' in parsed.data)) return null;
  const { metric, dataset, value, step, direction } = parsed.data;
  return {
    metric,
    dataset,
    value: typeof value === 'number' && Number.isFinite(value) ? value : null,
    written: textOf(value),
    direction: direction ?? null,
    step: step ?? null,
  };
}

/** Only of what has no parts: the text of a deep list would overflow the stack. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 40);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return parsePythonJson(line);
  }
}

/** NaN and the infinities become their names, so that the line is a bad result with a metric, not an unreadable one. */
function parsePythonJson(line: string): unknown {
  try {
    return JSON.parse(line.replace(NON_FINITE, (match) => (match.startsWith('"') ? match : `"${match}"`)));
  } catch {
    return undefined;
  }
}
