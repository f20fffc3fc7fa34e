import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StalenessPolicy } from '../../../src/domain/run-plan.ts';
import { decideStaleness, type StaleEdit } from '../../../src/search/staleness.ts';
import { isAtLeast, lagOf, toleranceOf } from '../../vectors/reference/versions.ts';

const policies = StalenessPolicy.options;
const policy = fc.constantFrom(...policies);
const vector = fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), fc.nat(9));
const edit = (lag: number, tolerance: number, isBreaking = false): StaleEdit => ({ lag, tolerance, isBreaking });

describe('an edit', () => {
  test.each(policies)('that is fresh is accepted, breaking or not (%s)', (name) => {
    for (const lag of [0, -3]) {
      expect(decideStaleness(name, edit(lag, 0))).toBe('accept');
      expect(decideStaleness(name, edit(lag, 0, true))).toBe('accept');
    }
  });

  test.each(policies)('that is stale and breaking is never kept (%s)', (name) => {
    expect(decideStaleness(name, edit(1, 9, true))).toBe('discard');
  });

  test.each([
    ['full', 'accept', 'accept'],
    ['guarded', 'rebase', 'discard'],
    ['reflective', 'rebase', 'rebase'],
  ] as const)('that is stale: %s says %s up to the tolerance, and %s above', (name, within, above) => {
    expect([1, 2, 3].map((lag) => decideStaleness(name, edit(lag, 2)))).toEqual([within, within, above]);
  });

  test('is never treated better for being staler', () => {
    const order = ['accept', 'rebase', 'discard'];
    fc.assert(
      fc.property(policy, fc.nat(9), fc.nat(9), fc.boolean(), (name, lag, tolerance, isBreaking) => {
        const [now, later] = [lag, lag + 1].map((at) => decideStaleness(name, edit(at, tolerance, isBreaking)));
        expect(order.indexOf(later ?? '')).toBeGreaterThanOrEqual(order.indexOf(now ?? ''));
      }),
    );
  });
});

describe('the lag', () => {
  test('is the largest over what the edit was made from; what has come since does not count', () => {
    expect(lagOf({ a: 5, b: 9, c: 100 }, { a: 3, b: 2 })).toBe(7);
    expect(lagOf({ a: 5 }, {})).toBe(0);
    expect(lagOf({}, { constructor: 2 })).toBe(-2);
  });

  test('is none exactly where nothing is newer', () => {
    fc.assert(
      fc.property(vector, vector, (head, base) => {
        const isFresh = Object.keys(base).every((key) => !Object.hasOwn(head, key) || (head[key] ?? 0) <= (base[key] ?? 0));
        expect(lagOf(head, base) <= 0).toBe(isFresh);
        expect(lagOf(head, head)).toBe(0);
      }),
    );
  });

  test('is that of a base which the newest state covers, when it is at least as far in everything', () => {
    expect(isAtLeast({ a: 2, b: 1 }, { a: 2 })).toBe(true);
    expect(isAtLeast({ a: 2 }, { a: 2, b: 1 })).toBe(false);
    fc.assert(
      fc.property(vector, vector, (one, other) => {
        if (isAtLeast(one, other)) expect(lagOf(other, one)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

test('an edit that reaches far is granted more lag, one that breaks none', () => {
  expect([0, 0.3, 0.300_01, 1].map((reach) => toleranceOf(reach, false))).toEqual([1, 1, 5, 5]);
  expect(toleranceOf(1, true)).toBe(0);
});
