import type { ParameterValue } from '../domain/experiment.ts';

/**
 * Numbers and words as both reports print them. Text of programs goes through {@link plainText} before it is
 * escaped for Markdown or HTML.
 */

/** Digits after the point for values around 1; larger values get fewer, so that about 5 digits are shown. */
const DECIMALS = 4;

/** A number for people: 4 decimals around 1, fewer for large values, powers of ten beyond that. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return minus(value.toExponential(2));
  const digits = size < 10 ? DECIMALS : Math.max(0, DECIMALS - Math.floor(Math.log10(size)));
  return minus((value === 0 ? 0 : value).toFixed(digits));
}

/** A number, or a dash where there is none. */
export function numberOrDash(value: number | null): string {
  return value === null ? '–' : numberText(value);
}

/** `0.9655 to 0.9789`. */
export function rangeText(low: number, high: number): string {
  return `${numberText(low)} to ${numberText(high)}`;
}

/** `better by 0.0123`, `worse by 0.0045`, `the same`. */
export function gainText(gain: number): string {
  if (gain === 0) return 'the same';
  return `${gain > 0 ? 'better' : 'worse'} by ${numberText(Math.abs(gain))}`;
}

/** `1 node`, `3 nodes`. */
export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A parameter's value as it stands in JSON, texts without quotes. */
export function valueText(value: ParameterValue | null): string {
  return value === null ? '–' : String(value);
}

/** `initial_implementation` as `Initial implementation`. */
export function titleText(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * One line without anything that is not seen: white space in runs becomes one space; control characters,
 * lone surrogates and marks that turn the direction of text become `�`.
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu, '\uFFFD');
}

function minus(text: string): string {
  return text.replace('-', '\u2212').replace('e\u2212', 'e-').replace('e+', 'e');
}
