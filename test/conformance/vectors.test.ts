import { describe, expect, test } from 'vitest';
import { groupOf, isSame } from '../vectors/format.ts';
import { GROUPS } from '../vectors/groups.ts';
import { readVectors, verdictOf } from '../vectors/run.ts';

const vectors = readVectors(new URL('../vectors/strategy-vectors.json', import.meta.url));

describe('the reference vectors', () => {
  test.each(Object.keys(GROUPS))('of %s are met, every one', (group) => {
    const cases = vectors.filter((vector) => groupOf(vector) === group);
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.filter((vector) => verdictOf(vector).verdict !== 'passed').map((vector) => vector.case)).toEqual([]);
  });

  test('that are changed are not met', () => {
    const [vector] = vectors.filter((candidate) => candidate.case === 'shard_round_robin/i5-n4');
    if (vector === undefined) throw new TypeError('the vector is gone');
    expect(verdictOf({ ...vector, output: [['t0'], ['t1'], ['t2'], ['t3']] }).verdict).toBe('failed');
    expect(verdictOf({ ...vector, case: 'of another group/x' }).verdict).toBe('skipped');
  });

  test.each([
    [1, 1 + 1e-13, true],
    [1, 1 + 1e-9, false],
    [Number.POSITIVE_INFINITY, 'Infinity', true],
    [Number.NaN, 'NaN', true],
    [1, '1', false],
    [[1, 2], [1], false],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: null }, { a: null }, true],
  ])('compare %j with %j: %s', (actual, expected, same) => {
    expect(isSame(actual, expected)).toBe(same);
  });
});
