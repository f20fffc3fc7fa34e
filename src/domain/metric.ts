import { z } from 'zod';

/**
 * The one metric of a run. Its name and direction are fixed by the task before the first evaluation and
 * never change (P7). A missing value, written `null`, is worse than every number, so the order is total.
 */

/** Which way is better. */
export const Direction = z.enum(['maximize', 'minimize']);
export type Direction = z.infer<typeof Direction>;

/** How the values of several datasets become one. */
export const Aggregation = z.enum(['mean', 'median', 'min', 'max']);
export type Aggregation = z.infer<typeof Aggregation>;

/** The metric of a task. */
export const MetricSpec = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/),
  direction: Direction,
  aggregation: Aggregation.default('mean'),
});
export type MetricSpec = z.infer<typeof MetricSpec>;

/** A finite number; NaN and infinities are a failure (`bad_result`), never a value. */
export const MetricValue = z.number();

/**
 * Orders two values from best to worst: negative when `a` is better, as `Array.prototype.sort` wants it.
 * `null` (no value) comes last.
 */
export function compareValues(direction: Direction, a: number | null, b: number | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  if (a === b) return 0;
  return a > b === (direction === 'maximize') ? -1 : 1;
}

/** Whether `a` is strictly better than `b`. */
export function isBetter(direction: Direction, a: number | null, b: number | null): boolean {
  return compareValues(direction, a, b) < 0;
}

/** How much better `a` is than `b`, positive when it is better whatever the direction. Always finite. */
export function gain(direction: Direction, a: number, b: number): number {
  const difference = direction === 'maximize' ? a - b : b - a;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, difference));
}

/** One value out of those of several datasets, finite when they are; `null` for an empty list. */
export function aggregate(aggregation: Aggregation, values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  switch (aggregation) {
    case 'mean':
      return mean(values);
    case 'median':
      return median(sorted);
    case 'min':
      return sorted[0] ?? null;
    case 'max':
      return sorted.at(-1) ?? null;
  }
}

/** Of a list that is not empty. Values so large that their sum overflows are scaled down first. */
function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (Number.isFinite(sum)) return sum / values.length;
  const scaled = values.reduce((total, value) => total + value / 2 / values.length, 0);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, 2 * scaled));
}

function median(sorted: readonly number[]): number | null {
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle];
  const low = sorted.length % 2 === 1 ? high : sorted[middle - 1];
  return high === undefined || low === undefined ? null : mean([low, high]);
}
