import type { z } from 'zod';
import { clip } from './failure.ts';
import { nearestKey } from './nearest-key.ts';

/**
 * What a schema finds wrong with a value that a person wrote, in words a person can act on. Places are
 * paths; whoever read the file turns them into lines.
 */

/** One thing that is wrong: where, what, and what to do about it. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** Whether the key itself is wrong, rather than its value. */
  readonly at: 'key' | 'value';
  readonly what: string;
  /** What to do; empty when `what` says it. */
  readonly fix: string;
}

type Issue = z.core.$ZodIssue;

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['string', 'a text'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a section (keys with values)'],
  ['record', 'a section (keys with values)'],
]);

/** The problems of a value that a schema refused, in the schema's order; `known` are the keys it knows. */
export function problemsOf(issues: readonly Issue[], value: unknown, known: readonly string[] = []): Problem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key], known));
    return [{ path, at: 'value', what: issueText(issue, valueAt(value, path)), fix: '' }];
  });
}

/** The problem that a key is not known, with the nearest one that is. */
export function unknownKey(path: readonly (string | number)[], known: Iterable<string>): Problem {
  const nearest = nearestKey(path.join('.'), known);
  const fix = nearest === undefined ? 'remove it' : `the nearest known key is ${nearest}`;
  return { path, at: 'key', what: 'this key is not known', fix };
}

/** A value as it may be shown in an error: short, and named by its kind where it has no short form. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section';
  if (typeof value === 'string') return `the text "${clip(value, 60)}"`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

/** The part of a value at a path, `undefined` where there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

function issueText(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return `${EXPECTED.get(issue.expected) ?? issue.expected} is missing here`;
      return `expected ${EXPECTED.get(issue.expected) ?? issue.expected}, got ${shown(value)}`;
    case 'too_small':
      return `${boundText(issue.origin, value)} is below the least allowed, ${issue.minimum}`;
    case 'too_big':
      return `${boundText(issue.origin, value)} is above the most allowed, ${issue.maximum}`;
    case 'invalid_value':
      return choiceText(issue.values, value);
    case 'invalid_union':
      return issue.message === 'Invalid input'
        ? `${shown(value)} is of no kind that is allowed here`
        : `${issue.message}${got(value)}`;
    case 'invalid_format':
    case 'custom':
      return `${issue.message}${got(value)}`;
    case 'invalid_key':
      return `a key here is not allowed: ${issue.issues.map((inner) => inner.message).join(', ')}`;
    case 'unrecognized_keys':
    case 'invalid_element':
    case 'not_multiple_of':
      return issue.message;
  }
}

/** What was found, where showing it helps: a part with parts of its own is only named by its place. */
function got(value: unknown): string {
  return typeof value === 'object' && value !== null ? '' : `, got ${shown(value)}`;
}

function boundText(origin: string, value: unknown): string {
  if (origin === 'string') return `the length of ${shown(value)}`;
  if (origin === 'array') return 'the number of entries';
  return shown(value);
}

function choiceText(choices: readonly unknown[], value: unknown): string {
  const words = choices.map(String);
  const nearest = typeof value === 'string' && words.length > 2 ? nearestKey(value, words) : undefined;
  const hint = nearest === undefined ? '' : ` (nearest: ${nearest})`;
  return `expected ${words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`}${hint}, got ${shown(value)}`;
}
