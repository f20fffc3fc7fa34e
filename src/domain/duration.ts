import { z } from 'zod';

/**
 * Durations in the config: `90s`, `5m`, `1h`, `250ms`, or a bare number of seconds, as AI-Scientist-v2 has
 * them. Inside the program they are whole milliseconds.
 */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration such as `90s`; `null` when the text is none. */
export function parseDuration(text: string): number | null {
  const match = PATTERN.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ''];
  return match === null || unit === undefined ? null : Math.round(Number(match[1]) * unit);
}

/** A duration in words: `250 ms`, `12.3 s`, `4 min 5 s`, `1 h 2 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}

/** A config value that is a duration; the parsed value is in milliseconds. */
export const Duration = z.union([z.number().positive(), z.string()]).transform((value, context) => {
  const ms = typeof value === 'number' ? Math.round(value * 1000) : parseDuration(value);
  if (ms === null || ms < 1 || ms > 366 * 86_400_000) {
    context.addIssue({ code: 'custom', message: 'expected a duration such as 90s, 5m or 1h, or a number of seconds' });
    return z.NEVER;
  }
  return ms;
});
