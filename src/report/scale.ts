/** Scales of charts. Total for every finite number: a domain is never empty and never overflows. */

/** From values to pixels; values outside of the domain are put on its ends. */
export interface Scale {
  (value: number): number;
  readonly domain: readonly [number, number];
}

/** Share of the range left free at both ends, so that marks are not cut off. */
const MARGIN = 0.08;
const ROUNDING = 1e-9;

/** A linear scale over all `values` (at least one) with a margin; equal values lie in the middle. */
export function linearScale(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  // A quarter of everything, so that the widest range of doubles with its margins is still a finite number.
  const [low, high] = extent(values.map((value) => value / 4));
  const margin = (high - low) * MARGIN || Math.abs(low) * MARGIN || 1;
  const [start, end] = [low - margin, high + margin];
  const width = end - start || 1;
  const scale = (value: number): number => from + Math.min(1, Math.max(0, (value / 4 - start) / width)) * (to - from);
  return Object.assign(scale, { domain: [clampDouble(start * 4), clampDouble(end * 4)] as const });
}

/** Up to about `count` round numbers within a domain, ascending. */
export function ticks([low, high]: readonly [number, number], count: number): number[] {
  const raw = high / count - low / count;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  // A domain that ends on a round number keeps it, whatever the division makes of it.
  const first = Math.ceil(low / step - ROUNDING);
  const last = Math.floor(high / step + ROUNDING);
  if (!(step > 0) || !Number.isFinite(first) || !Number.isFinite(last) || last - first > 3 * count) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** A coordinate with one decimal. */
export function pixel(value: number): string {
  return (Math.round(value * 10) / 10).toString();
}

function extent(values: readonly number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return values.length === 0 ? [0, 1] : [low, high];
}

function clampDouble(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
