import { z } from 'zod';

/** The format of a file of reference vectors: input and output cases of the library that we re-implement. */

/** One case: what was called with what, and what came back. */
export const VectorCase = z.object({
  /** `group/name`, unique. */
  case: z.string().regex(/^[^/]+\/.+$/),
  input: z.unknown(),
  output: z.unknown(),
  /** Largest absolute difference of a number that was sampled; relative 1e-12 otherwise. */
  tolerance: z.number().exactOptional(),
});
export type VectorCase = z.infer<typeof VectorCase>;

/** A file of cases. */
export const VectorFile = z.object({ format: z.literal(1), case_count: z.number().int(), cases: z.array(VectorCase) });

/** The group of a case. */
export function groupOf({ case: name }: VectorCase): string {
  return name.slice(0, name.indexOf('/'));
}

/** Numbers that JSON has no way to write. */
const SPECIAL: Readonly<Record<string, number>> = {
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

/** Whether a value is the expected one: numbers within the tolerance, all else exactly. */
export function isSame(actual: unknown, expected: unknown, tolerance = 0): boolean {
  if (typeof actual === 'number') return isSameNumber(actual, expected, tolerance);
  if (Array.isArray(actual) || Array.isArray(expected)) {
    if (!Array.isArray(actual) || !Array.isArray(expected) || actual.length !== expected.length) return false;
    return actual.every((value, index) => isSame(value, expected[index], tolerance));
  }
  if (!isRecord(actual) || !isRecord(expected)) return actual === expected;
  const keys = Object.keys(expected);
  return keys.length === Object.keys(actual).length && keys.every((key) => isSame(actual[key], expected[key], tolerance));
}

function isSameNumber(actual: number, written: unknown, tolerance: number): boolean {
  const expected = typeof written === 'string' ? SPECIAL[written] : written;
  if (typeof expected !== 'number') return false;
  if (Object.is(actual, expected)) return true;
  return Math.abs(actual - expected) <= Math.max(tolerance, 1e-12 * Math.abs(expected));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
