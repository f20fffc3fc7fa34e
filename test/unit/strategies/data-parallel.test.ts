import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import { planInput } from '../../support/arbitrary.ts';
import { NO_FACTS, outcomeOf, planInputOf } from '../../support/strategy-input.ts';
import { throughJson } from '../../../src/strategies/own/plan-rules.ts';

const plain = bindStrategy('data_parallel', {});
const unit = { worker: 0, keys: ['a'], stage: 0, section: null };
const tuning = (target: string) => ({ ...NO_FACTS, operator: 'tune', parent: 'n1', target });

describe('data_parallel', () => {
  test('deals the backlog into shards that rotate with the rounds', () => {
    const plan = (round: number) =>
      plain
        .plan(plain.initial(), planInputOf({ nWorkers: 2, keys: ['a', 'b', 'c'], roundOf: [round, round] }))
        .units.map(({ keys }) => keys);
    expect(plan(0)).toEqual([['a', 'c'], ['b']]);
    expect(plan(1)).toEqual([['b'], ['a', 'c']]);
  });

  test('keeps no state of its own, and reads the state of release 0.2.0', () => {
    const old = { v: 1 };
    fc.assert(
      fc.property(planInput, (input) => {
        const { state, units } = plain.plan(old, input);
        expect(state).toStrictEqual(old);
        expect(plain.plan(plain.initial(), input).units).toEqual(units);
      }),
    );
    expect(plain.initial()).toStrictEqual(old);
    expect(plain.observe(old, unit, 'a', outcomeOf({ gain: 1 }))).toStrictEqual(old);
    expect(plain.observe(old, unit, 'a', outcomeOf({ status: 'dropped', node: null }))).toStrictEqual(old);
  });

  test('refuses a sampler that there is none of', () => {
    expect(() => bindStrategy('data_parallel', { sampler: 'random' })).toThrow(/sampler: Invalid option/);
  });
});

describe.each(['difficulty_weighted', 'replay'])('data_parallel with the sampler %s', (sampler) => {
  const strategy = bindStrategy('data_parallel', { sampler });
  const facts = { a: tuning('lr'), b: tuning('depth'), c: tuning('lr') };
  const input = planInputOf({ nWorkers: 1, keys: ['a', 'b', 'c'], facts });
  const keysAfter = (outcomes: readonly Parameters<typeof outcomeOf>[0][]): (readonly string[] | undefined)[] => {
    let state = strategy.initial();
    for (const outcome of outcomes) state = throughJson(strategy.observe(state, unit, 'x', outcomeOf(outcome)));
    return strategy.plan(state, input).units.map(({ keys }) => keys);
  };

  test('hands out the same shards, in another order', () => {
    fc.assert(
      fc.property(planInput, (any) => {
        const sorted = (units: readonly { keys: readonly string[] }[]) => units.map(({ keys }) => keys.toSorted());
        expect(sorted(strategy.plan(strategy.initial(), any).units)).toEqual(sorted(plain.plan(plain.initial(), any).units));
      }),
    );
  });

  test('keeps the order of the backlog as long as nothing is known', () => {
    expect(keysAfter([])).toEqual([['a', 'b', 'c']]);
  });

  test('puts off a task that gave nothing for one that was not tried', () => {
    expect(keysAfter([{ facts: tuning('lr'), gain: -1 }])).toEqual([['b', 'a', 'c']]);
  });

  test('prefers the task that gives a gain now and then', () => {
    const lr = [0.1, -1, 0.2, null].map((gain) => ({ facts: tuning('lr'), gain }));
    const depth = [0.1, 0.2].map((gain) => ({ facts: tuning('depth'), gain }));
    expect(keysAfter([...depth, ...lr])).toEqual([['a', 'c', 'b']]);
  });

  test('counts a node that is as good as its parent as no gain', () => {
    const gains = (target: string, ...all: number[]) => all.map((gain) => ({ facts: tuning(target), gain }));
    expect(keysAfter([...gains('lr', 0.1, 0.2), ...gains('depth', 0.1, 0)])).toEqual([['b', 'a', 'c']]);
  });

  test('takes a carried state without samples as one that knows nothing', () => {
    expect(strategy.plan({ v: 1 }, input)).toEqual(strategy.plan(strategy.initial(), input));
  });

  test('counts the picks that it made for workers with work only', () => {
    const { state } = strategy.plan(strategy.initial(), planInputOf({ nWorkers: 4, keys: ['a', 'b', 'c'], facts }));
    expect(state).toMatchObject({ sampler: { picks: 3 } });
  });
});

describe('dropped work', () => {
  const keysAfterDrops = (sampler: string, isExhausted: boolean) => {
    const strategy = bindStrategy('data_parallel', { sampler });
    const facts = { a: tuning('lr'), b: tuning('depth') };
    let state = strategy.initial();
    for (const target of ['lr', 'depth'])
      state = strategy.observe(state, unit, 'x', outcomeOf({ facts: tuning(target), gain: 1 }));
    const dropped = outcomeOf({ status: 'dropped', node: null, facts: tuning('depth'), isExhausted });
    state = strategy.observe(state, unit, 'x', dropped);
    return strategy.plan(state, planInputOf({ nWorkers: 1, keys: ['a', 'b'], facts })).units[0]?.keys;
  };

  test('is tried sooner again by replay, and by no other sampler', () => {
    expect(keysAfterDrops('replay', false)).toEqual(['b', 'a']);
    expect(keysAfterDrops('difficulty_weighted', false)).toEqual(['a', 'b']);
    expect(keysAfterDrops('round_robin', false)).toEqual(['a', 'b']);
  });

  test('is not when there was nothing left to try', () => {
    expect(keysAfterDrops('replay', true)).toEqual(['a', 'b']);
  });
});
