import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { problemsOf, shown, unknownKey, valueAt } from '../../../src/domain/schema-problems.ts';

const Example = z.strictObject({
  whole: z.number().int().min(1).max(9).default(1),
  word: z.string().max(3).default(''),
  kind: z.enum(['red', 'green', 'blue']).default('red'),
  list: z.array(z.number()).max(2).default([]),
  code: z.string().regex(/^x/, 'a code starts with x').default('x'),
  map: z.record(z.string().regex(/^[a-z]$/, 'one letter'), z.number()).default({}),
  either: z.union([z.number(), z.boolean()]).default(1),
  inner: z.strictObject({ needed: z.number() }).exactOptional(),
});

const told = (value: unknown): string[] =>
  problemsOf(Example.safeParse(value).error?.issues ?? [], value, ['whole', 'inner.needed']).map(({ path, what, fix }) =>
    [path.join('.'), what, fix].filter((part) => part !== '').join(' | '),
  );

describe('problemsOf', () => {
  it.each<[unknown, string]>([
    [{ whole: 'four' }, 'whole | expected a number, got the text "four"'],
    [{ whole: 1.5 }, 'whole | expected a whole number, got 1.5'],
    [{ whole: 0 }, 'whole | 0 is below the least allowed, 1'],
    [{ whole: 10 }, 'whole | 10 is above the most allowed, 9'],
    [{ whole: null }, 'whole | expected a number, got an empty value'],
    [{ whole: Number.NaN }, 'whole | expected a number, got NaN'],
    [{ word: 'long' }, 'word | the length of the text "long" is above the most allowed, 3'],
    [{ word: { a: 1 } }, 'word | expected a text, got a section'],
    [{ kind: 'grene' }, 'kind | expected one of red, green, blue (nearest: green), got the text "grene"'],
    [{ list: [1, 2, 3] }, 'list | the number of entries is above the most allowed, 2'],
    [{ list: [1, 'x'] }, 'list.1 | expected a number, got the text "x"'],
    [{ list: 1 }, 'list | expected a list, got 1'],
    [{ code: 'y' }, 'code | a code starts with x, got the text "y"'],
    [{ map: { AB: 1 } }, 'map.AB | a key here is not allowed: one letter'],
    [{ either: 'x' }, 'either | the text "x" is of no kind that is allowed here'],
    [{ inner: {} }, 'inner.needed | a number is missing here'],
    [{ inner: 7 }, 'inner | expected a section (keys with values), got 7'],
    [{ whole: 1, wholly: 2 }, 'wholly | this key is not known | the nearest known key is whole'],
    [[], ' | expected a section (keys with values), got a list'.slice(3)],
  ])('of %j', (value, words) => {
    expect(told(value)).toEqual([words]);
  });

  it('tells every problem', () => {
    expect(told({ whole: 0, word: 1, a: 1, b: 2 })).toHaveLength(4);
  });
});

describe('unknownKey', () => {
  it('without any known key says to remove it', () => {
    expect(unknownKey(['a', 'b'], [])).toMatchObject({ path: ['a', 'b'], at: 'key', fix: 'remove it' });
  });
});

describe('shown', () => {
  it('stays short whatever the value', () => {
    for (const value of ['x'.repeat(10_000), { a: 1 }, [1], null, undefined, 1n, Symbol('s'), () => 1])
      expect(shown(value).length).toBeLessThan(80);
  });
});

describe('valueAt', () => {
  it('gives what is written there and nothing that is inherited', () => {
    expect(valueAt({ a: [{ b: 5 }] }, ['a', 0, 'b'])).toBe(5);
    expect(valueAt({ a: 1 }, ['a', 'b'])).toBeUndefined();
    expect(valueAt({}, ['toString'])).toBeUndefined();
  });
});
