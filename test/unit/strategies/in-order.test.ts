import { describe, expect, test } from 'vitest';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import type { PlanInput } from '../../../src/strategies/strategy.ts';
import { outcomeOf, planInputOf } from '../../support/strategy-input.ts';

const strategy = bindStrategy('in_order', {});
const plan = (change: Partial<PlanInput>) =>
  strategy.plan(strategy.initial(), planInputOf({ nWorkers: 3, keys: [], ...change })).units;

describe('in_order', () => {
  test('gives the first keys to the free workers, one each', () => {
    expect(plan({ keys: ['a', 'b', 'c', 'd'] })).toEqual([
      { worker: 0, keys: ['a'], stage: 0, section: null },
      { worker: 1, keys: ['b'], stage: 0, section: null },
      { worker: 2, keys: ['c'], stage: 0, section: null },
    ]);
  });

  test('plans for the free worker only, whatever its round', () => {
    expect(plan({ keys: ['a', 'b'], free: [2], roundOf: [5, 0, 9] })).toEqual([
      { worker: 2, keys: ['a'], stage: 0, section: null },
    ]);
  });

  test('passes over keys that are in flight', () => {
    expect(plan({ keys: ['a', 'b', 'c'], inFlight: ['a'], free: [0, 2] }).map(({ worker, keys }) => [worker, keys])).toEqual([
      [0, ['b']],
      [2, ['c']],
    ]);
  });

  test('leaves workers without a key alone', () => {
    expect(plan({ keys: ['a'] })).toHaveLength(1);
    expect(plan({ keys: [] })).toEqual([]);
    expect(plan({ keys: ['a'], free: [] })).toEqual([]);
    expect(plan({ keys: ['a'], inFlight: ['a'] })).toEqual([]);
  });

  test('wants to see one item per free worker', () => {
    expect([0, 1, 7].map((free) => strategy.lookahead(free))).toEqual([0, 1, 7]);
  });

  test('learns nothing', () => {
    const state = strategy.initial();
    expect(strategy.observe(state, { worker: 0, keys: ['a'], stage: 0, section: null }, 'a', outcomeOf({ gain: 1 }))).toEqual(
      state,
    );
  });
});
