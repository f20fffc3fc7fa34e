import { z } from 'zod';

/**
 * Durations in the config: `90s`, `5m`, `1h 30m`, `250ms`, or a bare number of seconds, as AI-Scientist-v2
 * has them. Inside the program they are whole milliseconds.
 */

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const PART = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*/;
const SECONDS = /^\d+(?:\.\d+)?$/;
const LONGEST_MS = 366 * 86_400_000;
const HOW = 'expected a duration such as 90s, 5m or 1h 30m, or a number of seconds, from 1ms to 366d';

/** Milliseconds of a duration such as `90s` or `1h 30m`; a bare number is seconds; `null` when the text is none. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (SECONDS.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  let rest = trimmed;
  let ms = 0;
  while (rest !== '') {
    const part = PART.exec(rest);
    const unit = UNIT_MS.get(part?.[2] ?? '');
    if (part === null || unit === undefined) return null;
    ms += Number(part[1]) * unit;
    rest = rest.slice(part[0].length);
  }
  return trimmed === '' ? null : Math.round(ms);
}

/** A duration in words, rounded down to what is shown: `250 ms`, `12.3 s`, `4 min 5 s`, `1 h 2 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}

/** A config value that is a duration; the parsed value is in whole milliseconds, 1 ms to 366 days. */
export const Duration = z.union([z.number(), z.string()], HOW).transform((value, context) => {
  const ms = typeof value === 'number' ? Math.round(value * 1000) : parseDuration(value);
  if (ms === null || ms < 1 || ms > LONGEST_MS) {
    context.addIssue({ code: 'custom', message: HOW });
    return z.NEVER;
  }
  return ms;
});
