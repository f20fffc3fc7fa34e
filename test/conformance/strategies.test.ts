import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { conformanceOf } from '../../src/strategies/own/conformance.ts';
import { bindStrategy, STRATEGIES } from '../../src/strategies/registry.ts';
import {
  defineStrategy,
  type BoundStrategy,
  type PlanInput,
  type StrategyOutcome,
  type WorkUnit,
} from '../../src/strategies/strategy.ts';
import { itemFacts, planInput } from '../support/arbitrary.ts';
import { outcomeOf, planInputOf } from '../support/strategy-input.ts';
import { frozen, planProblems, throughJson } from '../../src/strategies/own/plan-rules.ts';
import { planTwiceProblems } from '../support/strategy-rules.ts';

/** Options to try a strategy with beside its defaults, by name. A new strategy needs no entry. */
const OPTIONS: Readonly<Record<string, readonly object[]>> = {
  data_parallel: [{ sampler: 'difficulty_weighted' }, { sampler: 'replay' }],
  cluster_parallel: [
    { by: 'target', keep_statistics: false, sampler: 'difficulty_weighted' },
    { by: 'operator', count_in_flight: false, sampler: 'replay', rates: { value: 1, passes: 1 } },
  ],
  tensor_parallel: [
    { route: 'target' },
    { sections: 3, partition: 'hash', rotate: true, min_gain: 0.5 },
    { sections: 2, keys: ['a', 'b', 'x'], route: 'component_group', rotate: true },
  ],
};

const cases = STRATEGIES.flatMap(({ name }) => [{}, ...(OPTIONS[name] ?? [])].map((options) => [name, options] as const));

const outcome: fc.Arbitrary<StrategyOutcome> = fc.record({
  status: fc.constantFrom('good', 'buggy', 'dropped'),
  gain: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  node: fc.option(fc.constantFrom('n1', 'n7', 'n30')),
  facts: itemFacts,
  isExhausted: fc.boolean(),
});

/** Plans and observes in turn; gives the state after it and what went wrong on the way. */
function drive(strategy: BoundStrategy, inputs: readonly PlanInput[], outcomes: readonly StrategyOutcome[]) {
  let state = throughJson(strategy.initial());
  const problems: string[] = [];
  for (const [index, input] of inputs.entries()) {
    problems.push(...planTwiceProblems(strategy, state, input));
    const planned = strategy.plan(state, input);
    state = throughJson(planned.state);
    for (const unit of planned.units) {
      const seen = outcomes[index % Math.max(1, outcomes.length)] ?? outcomeOf();
      for (const key of unit.keys.slice(0, 1)) state = observedTwice(strategy, { state, unit, key, seen }, problems);
    }
  }
  return { state, problems };
}

function observedTwice(
  strategy: BoundStrategy,
  { state, unit, key, seen }: { state: unknown; unit: WorkUnit; key: string; seen: StrategyOutcome },
  problems: string[],
): unknown {
  const first = strategy.observe(frozen(state), frozen(unit), key, frozen(seen));
  const again = strategy.observe(throughJson(state), unit, key, seen);
  if (JSON.stringify(first) !== JSON.stringify(again)) problems.push('the same outcome gave another state');
  return throughJson(first);
}

/** A whole run of rounds over fresh keys. */
function rounds(count: number, nWorkers: number): PlanInput[] {
  const workers = Array.from({ length: nWorkers }, (_, worker) => worker);
  return Array.from({ length: count }, (_, round) =>
    planInputOf({
      nWorkers,
      roundOf: workers.map(() => round),
      keys: Array.from({ length: 2 * nWorkers }, (_unused, index) => `improve:n${round * 10 + index + 1}#${round}`),
    }),
  );
}

describe.each(cases)('the strategy %s with options %j', (name, options) => {
  const strategy = bindStrategy(name, options);
  const plan = (change: Partial<PlanInput>) => {
    const input = planInputOf({ nWorkers: 3, keys: ['a#0', 'b#0', 'c#0', 'd#0'], ...change });
    return { input, units: strategy.plan(strategy.initial(), input).units };
  };

  test('passes the checks that a strategy of a user must pass', () => {
    const checked = conformanceOf(strategy, bindStrategy(name, options));
    expect(checked.filter(({ problem }) => problem !== null)).toEqual([]);
  });

  test('keeps the contract with any backlog, at a barrier and asynchronously', () => {
    fc.assert(
      fc.property(
        fc.array(planInput, { minLength: 1, maxLength: 6 }),
        fc.array(outcome, { maxLength: 5 }),
        (inputs, outcomes) => {
          expect(drive(strategy, inputs, outcomes).problems).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('hands out nothing when there is nothing to do, or nobody to do it', () => {
    const keysOf = (units: readonly WorkUnit[]) => units.flatMap(({ keys }) => keys);
    expect(keysOf(plan({ keys: [] }).units)).toEqual([]);
    expect(plan({ free: [] }).units).toEqual([]);
    expect(keysOf(plan({ keys: ['a#0'], inFlight: ['a#0'], free: [1, 2] }).units)).toEqual([]);
  });

  test('works for one worker', () => {
    const { input, units } = plan({ nWorkers: 1, free: [0], roundOf: [0] });
    expect(planProblems(input, units)).toEqual([]);
    expect(units.map(({ worker }) => worker)).toEqual([0]);
  });

  test('works for more workers than there are keys', () => {
    const workers = Array.from({ length: 50 }, (_, worker) => worker);
    const { input, units } = plan({ nWorkers: 50, free: workers, roundOf: workers.map(() => 3) });
    expect(planProblems(input, units)).toEqual([]);
  });

  test('works when workers come and go between plans', () => {
    const inputs = [2, 5, 1, 3].flatMap((nWorkers) => rounds(2, nWorkers));
    expect(drive(strategy, inputs, []).problems).toEqual([]);
  });

  test('wants to see at least one item for each free worker, and a bounded number of them', () => {
    for (const free of [1, 2, 10, 1000]) {
      expect(strategy.lookahead(free)).toBeGreaterThanOrEqual(free);
      expect(strategy.lookahead(free)).toBeLessThanOrEqual(100 * free);
      expect(Number.isInteger(strategy.lookahead(free))).toBe(true);
    }
  });

  test('keeps a state that stays small, however long the run', () => {
    const size = (count: number) => JSON.stringify(drive(strategy, rounds(count, 4), [outcomeOf({ gain: 0.1 })]).state).length;
    expect(size(400)).toBeLessThan(64 * 1024);
    expect(size(400)).toBeLessThanOrEqual(2 * size(100) + 1024);
  });

  test('refuses a state that is not its own', () => {
    expect(() => strategy.plan({ not: 'mine' }, plan({}).input)).toThrow();
  });
});

describe('the check of a strategy sees', () => {
  type Plan = (state: { n: number }, input: PlanInput) => { state: { n: number }; units: WorkUnit[] };
  const input = planInputOf({ nWorkers: 2, keys: ['a', 'b'] });
  const busy: PlanInput = { ...input, keys: ['a', 'b'], free: [1], inFlight: ['a'] };
  const unit = (worker: number, ...keys: string[]): WorkUnit => ({ worker, keys, stage: 0, section: null });
  let calls = 0;

  const problemsOf = (plan: Plan, from: PlanInput): string[] => {
    const parts = {
      name: 'bad',
      about: 'breaks a rule',
      options: z.strictObject({}),
      lookahead: (free: number) => free,
      initial: () => ({ n: 0 }),
      observe: (_: object, state: { n: number }) => state,
    };
    const entry = defineStrategy({ ...parts, plan: (_, state, given) => plan(state, given) }, z.strictObject({ n: z.number() }));
    const strategy = entry.bind({});
    return planTwiceProblems(strategy, strategy.initial(), from);
  };

  test.each<[string, Plan, PlanInput, string]>([
    ['a key that was not offered', (state) => ({ state, units: [unit(0, 'z')] }), input, 'z was not offered'],
    ['a key for two workers', (state) => ({ state, units: [unit(0, 'a'), unit(1, 'a')] }), input, 'a key was handed out twice'],
    ['a key in flight', (state) => ({ state, units: [unit(1, 'a')] }), busy, 'a is in flight'],
    ['a worker that is busy', (state) => ({ state, units: [unit(0, 'b')] }), busy, 'worker 0 is not free'],
    ['two units of a worker', (state) => ({ state, units: [unit(0, 'a'), unit(0, 'b')] }), input, 'a worker has two units'],
    ['idleness', (state) => ({ state, units: [unit(0)] }), input, 'nothing is handed out though all are idle and there is work'],
    ['chance', () => ({ state: { n: calls++ }, units: [unit(0, 'a')] }), input, 'the same input gave another plan'],
    [
      'a state that is no JSON',
      () => ({ state: { n: Number.POSITIVE_INFINITY }, units: [unit(0, 'a')] }),
      input,
      'the state is not plain JSON',
    ],
  ])('%s', (_, plan, from, problem) => {
    expect(problemsOf(plan, from)).toContain(problem);
  });

  test('a change of what it was given', () => {
    const greedy: Plan = (state, { keys }) => {
      Array.prototype.splice.call(keys, 0, 1);
      return { state, units: [unit(0, 'b')] };
    };
    expect(() => problemsOf(greedy, input)).toThrow(TypeError);
  });

  test('nothing wrong with a good plan', () => {
    expect(problemsOf((state) => ({ state, units: [unit(0, 'a'), unit(1, 'b')] }), input)).toEqual([]);
    expect(problemsOf((state) => ({ state, units: [unit(1, 'b')] }), busy)).toEqual([]);
  });
});
