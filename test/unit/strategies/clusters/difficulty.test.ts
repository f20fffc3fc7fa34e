import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { difficultyWeight, ucbScore } from '../../../../src/strategies/clusters/difficulty.ts';

describe('the difficulty weight', () => {
  test('is greatest where half of what is tried passes, and the floor where all or nothing does', () => {
    expect([0, 0.5, 1].map((rate) => difficultyWeight(rate, 0))).toEqual([0, 1, 0]);
    expect([0, 1].map((rate) => difficultyWeight(rate))).toEqual([0.001, 0.001]);
  });

  test('takes a rate outside its range as the nearer end, and what is no number as 0', () => {
    const rates = [-1, 2, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(rates.map((rate) => difficultyWeight(rate, 0))).toEqual([0, 0, 0, 0, 0]);
  });

  test('is the same as far above one half as below', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.5, noNaN: true }), (off) => {
        expect(difficultyWeight(0.5 + off)).toBeCloseTo(difficultyWeight(0.5 - off), 12);
      }),
    );
  });
});

describe('the upper confidence bound', () => {
  test('is infinite for what was never tried, whatever it is worth', () => {
    expect(ucbScore({ value: 0, trials: 0, total: 100, c: 0 })).toBe(Number.POSITIVE_INFINITY);
  });

  test('is the value alone where exploring counts nothing', () => {
    expect(ucbScore({ value: 0.25, trials: 3, total: 100, c: 0 })).toBe(0.25);
  });

  test('falls with every trial and rises with those of the others', () => {
    const bound = (trials: number, total: number): number => ucbScore({ value: 0, trials, total, c: 1.4 });
    expect(bound(2, 10)).toBeLessThan(bound(1, 10));
    expect(bound(2, 11)).toBeGreaterThan(bound(2, 10));
  });

  test('counts at least two choices, so that the first ones are not worth nothing', () => {
    const bound = (total: number): number => ucbScore({ value: 0, trials: 1, total, c: 1 });
    expect(bound(0)).toBe(bound(2));
    expect(bound(1)).toBe(Math.sqrt(Math.log(2)));
  });
});
