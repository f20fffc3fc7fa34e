import { z } from 'zod';
import { gain, type Direction } from './metric.ts';
import { tQuantile } from './student-t.ts';

/**
 * The statistics behind every "better" that is printed (P7). A sample is the metric of one node by seed.
 * Intervals are two-sided 95 % Student-t intervals of the mean; they cover the seeds and nothing else
 * (not other data). Whatever is not a finite number in the end is `null`, never Infinity or NaN.
 */

/** The level of every interval. */
export const CONFIDENCE = 0.95;
const UPPER = 1 - (1 - CONFIDENCE) / 2;

/** A difference below this share of the values is rounding, not a difference. */
const ROUNDING = 1e-12;

/** What two samples say about each other; `unknown` when they are too small to say anything. */
export const Verdict = z.enum(['better', 'worse', 'noise', 'unknown']);
export type Verdict = z.infer<typeof Verdict>;

/** Values of one node by seed. */
export type Sample = ReadonlyMap<number, number>;

/** A range of numbers, ends included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Size, mean, sample standard deviation and 95 % interval of a list; the last two need 2 values. */
export interface Summary {
  readonly n: number;
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly interval: Interval | null;
}

/** How a candidate compares with a reference; `gain` is positive when the candidate is better. */
export interface Comparison {
  /** `paired` over common seeds, `welch` over two samples, `none` when one of them has fewer than 2 values. */
  readonly method: 'paired' | 'welch' | 'none';
  /** Pairs, or values of the smaller sample. */
  readonly n: number;
  readonly gain: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly verdict: Verdict;
}

/** Size, mean, standard deviation (n - 1 in the denominator) and interval of a list, in any order. */
export function summarise(values: readonly number[]): Summary {
  const n = values.length;
  const mean = finite(meanOf(values));
  const deviation = mean === null || n < 2 ? null : finite(deviationOf(values, mean));
  return { n, mean, deviation, interval: deviation === null ? null : around(mean, n - 1, deviation / Math.sqrt(n)) };
}

/**
 * Where one more value of the same kind would lie with 95 % confidence; `null` below 2 values. What lies
 * outside differs by more than a change of the seed explains.
 */
export function predictionInterval(values: readonly number[]): Interval | null {
  const { n, mean, deviation } = summarise(values);
  return deviation === null ? null : around(mean, n - 1, deviation * Math.sqrt(1 + 1 / n));
}

/**
 * Compares two nodes: paired when the smaller sample's seeds all occur in the other, else by Welch's test.
 * `better` and `worse` only when the 95 % interval of the gain leaves out 0; otherwise it is noise.
 */
export function compareSamples(direction: Direction, candidate: Sample, reference: Sample): Comparison {
  const n = Math.min(candidate.size, reference.size);
  if (n < 2) return { method: 'none', n, gain: null, low: null, high: null, verdict: 'unknown' };
  const gains = [...candidate].flatMap(([seed, value]) => {
    const other = reference.get(seed);
    return other === undefined ? [] : [gain(direction, value, other)];
  });
  const paired = gains.length === n;
  const { mean, interval } = paired ? summarise(gains) : welch(direction, [...candidate.values()], [...reference.values()]);
  if (mean === null || interval === null) return { method: 'none', n, gain: null, low: null, high: null, verdict: 'unknown' };
  const size = Math.max(...[...candidate.values(), ...reference.values()].map(Math.abs));
  return { method: paired ? 'paired' : 'welch', n, gain: mean, ...interval, verdict: verdictOf(interval, size * ROUNDING) };
}

function verdictOf({ low, high }: Interval, rounding: number): Verdict {
  if (low > rounding) return 'better';
  return high < -rounding ? 'worse' : 'noise';
}

/** Welch 1947: means of two samples with variances of their own; Satterthwaite's degrees of freedom. */
function welch(direction: Direction, a: readonly number[], b: readonly number[]): Pick<Summary, 'mean' | 'interval'> {
  const [one, two] = [summarise(a), summarise(b)];
  if (one.mean === null || two.mean === null || one.deviation === null || two.deviation === null)
    return { mean: null, interval: null };
  const mean = finite(gain(direction, one.mean, two.mean));
  const scale = Math.max(one.deviation, two.deviation);
  if (scale === 0) return { mean, interval: around(mean, 1, 0) };
  const va = (one.deviation / scale) ** 2 / one.n;
  const vb = (two.deviation / scale) ** 2 / two.n;
  const degrees = (va + vb) ** 2 / (va ** 2 / (one.n - 1) + vb ** 2 / (two.n - 1));
  return { mean, interval: around(mean, degrees, scale * Math.sqrt(va + vb)) };
}

function around(mean: number | null, degrees: number, error: number): Interval | null {
  if (mean === null) return null;
  const half = error === 0 ? 0 : tQuantile(UPPER, degrees) * error;
  const [low, high] = [finite(mean - half), finite(mean + half)];
  return low === null || high === null ? null : { low, high };
}

/** Divides before it adds, so that values near the largest double have a mean. */
function meanOf(values: readonly number[]): number {
  const first = values[0];
  if (first === undefined) return Number.NaN;
  // Equal values have exactly that mean; a sum of shares would miss it by a rounding.
  if (values.every((value) => value === first)) return first;
  const plain = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(plain) ? plain : values.reduce((sum, value) => sum + value / values.length, 0);
}

/** Scales before it squares, so that large and small values keep their spread. */
function deviationOf(values: readonly number[], mean: number): number {
  const offsets = values.map((value) => value - mean);
  const scale = Math.max(...offsets.map(Math.abs));
  if (scale === 0) return 0;
  return scale * Math.sqrt(offsets.reduce((sum, offset) => sum + (offset / scale) ** 2, 0) / (values.length - 1));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
