import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import type { PlanInput, StrategyOutcome } from '../../../src/strategies/strategy.ts';
import { itemFacts, planInput } from '../../support/arbitrary.ts';
import { NO_FACTS, outcomeOf, planInputOf } from '../../support/strategy-input.ts';
import { planProblems, throughJson } from '../../../src/strategies/own/plan-rules.ts';

const strategy = bindStrategy('cluster_parallel', {});
const unit = { worker: 0, keys: ['x'], stage: 0, section: null };
const of = (family: string | null) => ({ ...NO_FACTS, family });

/** Items named after their family, as `a1`. */
function inputOf(keys: readonly string[], change: Partial<PlanInput> & { nWorkers: number }): PlanInput {
  return planInputOf({ keys, facts: Object.fromEntries(keys.map((key) => [key, of(key.slice(0, 1))])), ...change });
}

/** The state after outcomes of families, and plans that offered them. */
function learned(from: typeof strategy, outcomes: readonly [string, number | null][]): unknown {
  let state = from.initial();
  for (const [family, gain] of outcomes) state = from.observe(state, unit, 'x', outcomeOf({ facts: of(family), gain }));
  return throughJson(state);
}

const won = (family: string, gain: number | null): [string, number | null] => [family, gain];

const keysOf = (state: unknown, input: PlanInput, by = strategy) => by.plan(state, input).units.map(({ keys }) => keys.join(' '));

const outcome: fc.Arbitrary<StrategyOutcome> = fc.record({
  status: fc.constantFrom('good', 'buggy', 'dropped'),
  gain: fc.option(fc.double()),
  node: fc.constant('n1'),
  facts: itemFacts,
  isExhausted: fc.boolean(),
});
const options = fc.record({
  by: fc.constantFrom('target', 'operator', 'family', 'component_group'),
  c: fc.double({ min: 0, max: 1e6, noNaN: true }),
  keep_statistics: fc.boolean(),
  count_in_flight: fc.boolean(),
  rates: fc.record({ value: fc.double({ min: 0, max: 1, noNaN: true }), passes: fc.double({ min: 0, max: 1, noNaN: true }) }),
  sampler: fc.constantFrom('round_robin', 'difficulty_weighted', 'replay'),
});

describe('cluster_parallel leases', () => {
  test('whole clusters, in the order of the backlog', () => {
    expect(keysOf(strategy.initial(), inputOf(['b1', 'a1', 'b2', 'a2'], { nWorkers: 2 }))).toEqual(['a1 a2', 'b1 b2']);
  });

  test('clusters in the order of their names where nothing is known', () => {
    const keys = ['b1', '😀1', 'a1', '\ufffd1'];
    const facts = Object.fromEntries(keys.map((key) => [key, of(key.slice(0, -1))]));
    expect(keysOf(strategy.initial(), planInputOf({ nWorkers: 4, keys, facts }))).toEqual(['a1', 'b1', '\ufffd1', '😀1']);
  });

  test('a cluster to several workers, which take turns at its items', () => {
    expect(keysOf(strategy.initial(), inputOf(['a1', 'a2', 'b1', 'b2', 'a3'], { nWorkers: 4 }))).toEqual([
      'a1 a3',
      'b1',
      'a2',
      'b2',
    ]);
  });

  test('the next cluster that has items left when that of a worker is used up', () => {
    expect(keysOf(strategy.initial(), inputOf(['a1', 'b1', 'b2', 'b3'], { nWorkers: 4 }))).toEqual(['a1', 'b1', 'b2', 'b3']);
    expect(keysOf(strategy.initial(), inputOf(['a1', 'b1'], { nWorkers: 3 }))).toEqual(['a1', 'b1', '']);
  });

  test('items about nothing as a cluster of their own', () => {
    const facts = { x: of(null), a: of('a'), y: of(null) };
    expect(keysOf(strategy.initial(), planInputOf({ nWorkers: 2, keys: ['x', 'a', 'y'], facts }))).toEqual(['x y', 'a']);
  });

  test('clusters by what the options say', () => {
    const byTarget = bindStrategy('cluster_parallel', { by: 'target' });
    const facts = { p: { ...of('a'), target: 'lr' }, q: { ...of('b'), target: 'lr' }, r: { ...of('a'), target: 'depth' } };
    expect(keysOf(byTarget.initial(), planInputOf({ nWorkers: 2, keys: ['p', 'q', 'r'], facts }), byTarget)).toEqual([
      'r',
      'p q',
    ]);
  });

  test('the best cluster to the free worker, whatever its number', () => {
    const state = learned(strategy, [
      ['a', -1],
      ['b', 1],
    ]);
    expect(strategy.plan(state, inputOf(['a1', 'b1'], { nWorkers: 3, free: [2] })).units).toEqual([
      { worker: 2, keys: ['b1'], stage: 0, section: null },
    ]);
  });

  test('the items of a cluster in the order of the sampler', () => {
    const sampled = bindStrategy('cluster_parallel', { sampler: 'difficulty_weighted' });
    const facts = { a1: { ...of('a'), target: 'lr' }, a2: { ...of('a'), target: 'depth' } };
    const input = planInputOf({ nWorkers: 1, keys: ['a1', 'a2'], facts });
    const state = sampled.observe(sampled.initial(), unit, 'a0', outcomeOf({ facts: facts.a1 }));
    expect(keysOf(state, input, sampled)).toEqual(['a2 a1']);
  });

  test('no key twice or in flight, and something to each worker as long as there is something', () => {
    fc.assert(
      fc.property(options, planInput, fc.array(outcome, { maxLength: 8 }), (chosen, input, outcomes) => {
        const any = bindStrategy('cluster_parallel', chosen);
        let state: unknown = any.initial();
        for (const seen of outcomes) state = any.observe(state, unit, 'x', seen);
        const { units } = any.plan(state, input);
        const open = input.keys.filter((key) => !input.inFlight.includes(key)).length;
        expect(planProblems(input, units)).toEqual([]);
        expect(units.filter(({ keys }) => keys.length > 0)).toHaveLength(Math.min(open, input.free.length));
      }),
    );
  });
});

describe('cluster_parallel learns', () => {
  const best = (outcomes: readonly [string, number | null][], by = strategy) =>
    keysOf(learned(by, outcomes), inputOf(['a1', 'b1'], { nWorkers: 1 }), by)[0];

  test('to look first at what it has never seen', () => {
    expect(best([['a', 5]])).toBe('b1');
  });

  test('to prefer the cluster that gave gains, and the greater gains', () => {
    for (const gain of [-1, 0, null]) expect(best([won('a', gain), won('b', 1)])).toBe('b1');
    expect(best([won('a', 0.1), won('b', 0.1), won('a', 0.1), won('b', 7)])).toBe('b1');
  });

  test('on no scale: what counts is the place of a gain among the last ones', () => {
    const valueAt = (scale: number) => {
      const outcomes = [1, 3, 2, -5].map((gain, index) => won(index % 2 === 0 ? 'a' : 'b', gain * scale));
      return valueOf(learned(strategy, outcomes), 'b');
    };
    expect(valueAt(1000)).toBe(valueAt(1));
  });

  test('from an endless gain as from any other, and keeps it as a number', () => {
    const before = learned(strategy, [won('a', 1)]);
    const after = strategy.observe(before, unit, 'x', outcomeOf({ facts: of('b'), gain: Number.POSITIVE_INFINITY }));
    expect(throughJson(after)).toEqual(after);
    expect(Known.parse(after).learned.gains).toEqual([1, Number.MAX_VALUE]);
    expect(valueOf(after, 'b')).toBeGreaterThan(valueOf(after, 'a') ?? 1);
  });

  test('nothing from a dropped item, also of one with nothing left to try', () => {
    const before = learned(strategy, [['a', 1]]);
    for (const isExhausted of [false, true]) {
      const seen = outcomeOf({ status: 'dropped', node: null, facts: of('a'), isExhausted });
      expect(strategy.observe(before, unit, 'x', seen)).toEqual(before);
    }
  });

  test('for good, whatever list of items comes next, unless it is to be as in the reference', () => {
    const strict = bindStrategy('cluster_parallel', { keep_statistics: false });
    const knows = (by: typeof strategy, next: readonly string[]) => {
      const first = by.plan(by.initial(), inputOf(['a1', 'b1'], { nWorkers: 1 })).state;
      const state = by.observe(first, unit, 'a1', outcomeOf({ facts: of('a'), gain: 1 }));
      return keysOf(state, inputOf(next, { nWorkers: 1 }), by)[0] !== next.find((key) => key.startsWith('a'));
    };
    expect(knows(strategy, ['a1', 'b1'])).toBe(true);
    expect(knows(strategy, ['b1', 'a1'])).toBe(true);
    expect(knows(strategy, ['a2', 'b1'])).toBe(true);
    expect(knows(strict, ['a1', 'b1'])).toBe(true);
    expect(knows(strict, ['b1', 'a1'])).toBe(false);
    expect(knows(strict, ['a2', 'b1'])).toBe(false);
  });

  test('that work in flight will come to something, unless told not to count it', () => {
    const next = (by: typeof strategy) => {
      const { state } = by.plan(by.initial(), inputOf(['a1', 'a2', 'b1'], { nWorkers: 2, free: [0] }));
      return keysOf(state, inputOf(['a2', 'b1'], { nWorkers: 2, free: [1], inFlight: ['a1'] }), by)[0];
    };
    expect(next(strategy)).toBe('b1');
    expect(next(bindStrategy('cluster_parallel', { count_in_flight: false }))).toBe('a2');
  });

  test('no more of work in flight when it has ended, or is not known to be going on', () => {
    const { state } = strategy.plan(strategy.initial(), inputOf(['a1', 'a2', 'b1'], { nWorkers: 2, free: [0] }));
    const dropped = outcomeOf({ status: 'dropped', node: null, facts: of('a') });
    const after = strategy.observe(state, unit, 'a1', dropped);
    expect(keysOf(after, inputOf(['a2', 'b1'], { nWorkers: 2, free: [1], inFlight: ['a1'] }))).toEqual(['a2']);
    expect(keysOf(state, inputOf(['a2', 'b1'], { nWorkers: 2, free: [1] }))).toEqual(['a2']);
  });
});

describe('the state of cluster_parallel', () => {
  test('stays bounded over 500 rounds of clusters that come and go', () => {
    const sampled = bindStrategy('cluster_parallel', { sampler: 'replay' });
    let state: unknown = sampled.initial();
    for (let round = 0; round < 500; round++) {
      const keys = Array.from({ length: 16 }, (_, index) => `improve:n${round * 16 + index}#0`);
      const facts = Object.fromEntries(keys.map((key, index) => [key, { ...of(`family ${round + index}`), parent: key }]));
      const planned = sampled.plan(state, planInputOf({ nWorkers: 4, keys, facts }));
      state = throughJson(planned.state);
      for (const {
        keys: [key = ''],
      } of planned.units)
        state = throughJson(sampled.observe(state, unit, key, outcomeOf({ facts: facts[key] ?? NO_FACTS, gain: round + 1 })));
    }
    expect(Known.parse(state).learned.clusters).toHaveLength(64);
    expect(Known.parse(state).learned.gains).toHaveLength(64);
    expect(Known.parse(state).sampler?.tasks).toHaveLength(256);
    expect(JSON.stringify(state).length).toBeLessThan(40_000);
  });

  test('forgets the cluster first that was longest neither offered nor observed', () => {
    const names = Array.from({ length: 64 }, (_, index) => `family ${index}`);
    const all = names.map((name) => won(name, 1));
    const full = learned(strategy, all);
    const offered = strategy.plan(full, planInputOf({ nWorkers: 1, keys: ['x'], facts: { x: of('family 0') } })).state;
    const after = Known.parse(strategy.observe(offered, unit, 'x', outcomeOf({ facts: of('new'), gain: 1 })));
    const kept = after.learned.clusters.map(({ cluster }) => cluster);
    expect(kept).toHaveLength(64);
    expect([kept.includes('family 0'), kept.includes('family 1'), kept.includes('new')]).toEqual([true, false, true]);
  });

  test('survives being written and read, whatever was planned and observed', () => {
    const step = fc.oneof(planInput, outcome);
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 12 }), (chosen, steps) => {
        const any = bindStrategy('cluster_parallel', chosen);
        const after = (carry: (state: unknown) => unknown) =>
          steps.reduce<unknown>(
            (state, next) => carry('keys' in next ? any.plan(state, next).state : any.observe(state, unit, 'x', next)),
            any.initial(),
          );
        expect(after(throughJson)).toEqual(after((state) => state));
        expect(throughJson(after((state) => state))).toEqual(after((state) => state));
      }),
    );
  });
});

const Known = z.object({
  learned: z.object({
    clusters: z.array(z.object({ cluster: z.string(), value: z.number() })),
    gains: z.array(z.number()),
  }),
  sampler: z.object({ tasks: z.array(z.unknown()) }).nullable(),
});

function valueOf(state: unknown, family: string): number | undefined {
  return Known.parse(state).learned.clusters.find(({ cluster }) => cluster === family)?.value;
}
