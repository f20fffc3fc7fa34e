import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BoundStrategy, PlanInput, StrategyOutcome } from '../../../../src/strategies/strategy.ts';
import { planInput } from '../../../support/arbitrary.ts';
import {
  afterRound,
  backlogInput,
  improve,
  itemOf,
  KEYS,
  sectionStrategy,
  sectionUnit,
  shown,
  tune,
} from '../../../support/section-work.ts';
import { NO_FACTS, outcomeOf } from '../../../support/strategy-input.ts';
import { throughJson } from '../../../../src/strategies/own/plan-rules.ts';
import { planTwiceProblems } from '../../../support/strategy-rules.ts';

describe('what is exhausted', () => {
  const isExhausted = { status: 'dropped', node: null, isExhausted: true } as const;
  const route = sectionStrategy({ route: 'target' });
  const free = sectionStrategy();

  test('is a section when its proposer has nothing left: its worker goes on in the next one', () => {
    const state = afterRound(free, [[1, isExhausted]]);
    const sections = (parent: string) =>
      free.plan(state, backlogInput([0, 1, 2].map((at) => improve(at, parent)))).units.map((unit) => unit.section);
    expect(sections('n1')).toEqual([0, 2, 2]);
    expect(sections('n5')).toEqual([0, 1, 2]);
  });

  test('is only the target of an item that has one, and nothing when the section could not touch it', () => {
    const spent = (key: string) =>
      afterRound(route, [[0, { ...isExhausted, facts: { ...NO_FACTS, parent: 'n1', target: key } }]]);
    const items = KEYS.map((key) => tune(key));
    const keysOf = (state: unknown) => route.plan(state, backlogInput(items)).units.map(({ keys }) => keys);
    const others = [
      ['tune:n1:b#0', 'tune:n1:e#0'],
      ['tune:n1:c#0', 'tune:n1:f#0'],
    ];
    expect(keysOf(spent('a'))).toEqual([['tune:n1:d#0'], ...others]);
    expect(keysOf(spent('b'))).toEqual([['tune:n1:a#0', 'tune:n1:d#0'], ...others]);
  });

  test('is a section when each of its keys is, also after the keys were divided otherwise', () => {
    const about = (target: string) => ({ ...isExhausted, facts: { ...NO_FACTS, parent: 'n1', target } });
    const state = afterRound(route, [
      [0, about('a')],
      [0, about('d')],
    ]);
    const given = (nWorkers: number) =>
      shown(
        route.plan(
          state,
          backlogInput(
            ['a', 'b', 'c', 'e'].map((key) => tune(key)),
            { nWorkers },
          ),
        ).units,
      );
    expect(given(3)).toEqual([
      [0, 1, 'tune:n1:b#0'],
      [1, 1, 'tune:n1:e#0'],
      [2, 2, 'tune:n1:c#0'],
    ]);
    expect(given(2)).toEqual([
      [0, 0, 'tune:n1:c#0', 'tune:n1:e#0'],
      [1, 1, 'tune:n1:b#0'],
    ]);
  });

  test('is all when every section is: items go out without one', () => {
    const state = afterRound(
      free,
      [0, 1, 2].map((section) => [section, isExhausted]),
    );
    const { units } = free.plan(state, backlogInput([improve(0), improve(0, 'n2')]));
    expect(shown(units)).toEqual([
      [0, null, 'improve:n1#0'],
      [1, null, 'improve:n2#0'],
      [2, null],
    ]);
  });
});

describe('what gained', () => {
  const strategy = sectionStrategy({ min_gain: 0.1 });
  const won = (node: string, gain: number | null): Partial<StrategyOutcome> => ({ node, gain });

  test('in two sections or more is to be united, most gained first', () => {
    const state = afterRound(strategy, [
      [0, won('n2', 0.2)],
      [1, won('n3', 0.5)],
      [2, won('n4', 0.3)],
    ]);
    expect(strategy.merges(state)).toEqual([{ base: 'n1', nodes: ['n3', 'n4', 'n2'] }]);
  });

  test('no more than the noise, or in one section only, is not', () => {
    expect(
      strategy.merges(
        afterRound(strategy, [
          [0, won('n2', 0.2)],
          [1, won('n3', 0.1)],
        ]),
      ),
    ).toEqual([]);
    expect(
      strategy.merges(
        afterRound(strategy, [
          [0, won('n2', 0.2)],
          [0, won('n3', 0.4)],
        ]),
      ),
    ).toEqual([]);
    expect(
      strategy.merges(
        afterRound(strategy, [
          [0, won('n2', 0.2)],
          [1, { ...won('n3', 0.4), status: 'buggy' }],
        ]),
      ),
    ).toEqual([]);
  });

  test('most is what counts in a section', () => {
    const state = afterRound(strategy, [
      [0, won('n2', 0.4)],
      [1, won('n3', 0.3)],
      [0, won('n4', 0.2)],
      [1, won('n5', Number.POSITIVE_INFINITY)],
    ]);
    expect(strategy.merges(state)).toEqual([{ base: 'n1', nodes: ['n5', 'n2'] }]);
    expect(throughJson(state)).toEqual(state);
  });

  test('is united once, and again when a section gains more', () => {
    const state = afterRound(strategy, [
      [0, won('n2', 0.2)],
      [1, won('n3', 0.5)],
    ]);
    const merge = itemOf('merge', 'n1', 'n3+n2');
    const given = strategy.plan(state, backlogInput([merge, improve(0)])).state;
    expect(strategy.merges(given)).toEqual([]);
    expect(strategy.merges(strategy.plan(state, backlogInput([merge], { free: [] })).state)).toHaveLength(1);
    expect(strategy.merges(afterRound(strategy, [[2, won('n6', 0.9)]], { before: given }))).toEqual([
      { base: 'n1', nodes: ['n6', 'n3', 'n2'] },
    ]);
  });

  test('stays to be united after work went on from another node, for the last four', () => {
    let state = afterRound(strategy, [
      [0, won('n2', 0.2)],
      [1, won('n3', 0.5)],
    ]);
    state = afterRound(
      strategy,
      [
        [0, won('n12', 0.2)],
        [1, won('n13', 0.5)],
      ],
      { before: state, parent: 'n11' },
    );
    expect(strategy.merges(state).map(({ base }) => base)).toEqual(['n11', 'n1']);
    for (const parent of ['n21', 'n22', 'n23']) state = afterRound(strategy, [], { before: state, parent });
    expect(strategy.merges(state).map(({ base }) => base)).toEqual(['n11']);
  });

  test('without a section, or from a node that is forgotten, is not remembered', () => {
    const state = afterRound(strategy, [[0, won('n2', 0.2)]]);
    const seen = outcomeOf({ ...won('n3', 0.5), facts: { ...NO_FACTS, parent: 'n1' } });
    expect(strategy.observe(state, { ...sectionUnit(1), section: null }, 'x', seen)).toEqual(state);
    expect(strategy.observe(state, sectionUnit(1), 'x', { ...seen, facts: { ...NO_FACTS, parent: 'n9' } })).toEqual(state);
    expect(strategy.observe(state, sectionUnit(7), 'x', seen)).toEqual(state);
  });

  test('is not wanted again when a person had other nodes united', () => {
    const state = afterRound(strategy, [
      [0, won('n2', 0.2)],
      [1, won('n3', 0.5)],
    ]);
    const give = (before: unknown, nodes: string) => strategy.plan(before, backlogInput([itemOf('merge', 'n1', nodes)])).state;
    expect(strategy.merges(give(state, 'n3+n8'))).toHaveLength(1);
    expect(strategy.merges(give(give(state, 'n3+n2'), 'n3+n8'))).toEqual([]);
  });

  test('is one part of a union at most, and a union has sixteen', () => {
    expect(
      strategy.merges(
        afterRound(strategy, [
          [0, won('n2', 0.2)],
          [1, won('n2', 0.5)],
        ]),
      ),
    ).toEqual([]);
    const components = Array.from({ length: 20 }, (_, at) => `k${at}`);
    const begun = strategy.plan(strategy.initial(), backlogInput([improve(0)], { nWorkers: 20, components })).state;
    const state = components.reduce<unknown>((before, _, at) => {
      const seen = outcomeOf({ ...won(`n${at + 2}`, 1 + at), facts: { ...NO_FACTS, parent: 'n1' } });
      return strategy.observe(before, sectionUnit(at), 'x', seen);
    }, begun);
    expect(strategy.merges(state)[0]?.nodes).toEqual(Array.from({ length: 16 }, (_, at) => `n${21 - at}`));
  });

  test('is forgotten when the keys are divided otherwise', () => {
    const state = afterRound(strategy, [
      [0, won('n2', 0.2)],
      [1, won('n3', 0.5)],
    ]);
    expect(strategy.merges(strategy.plan(state, backlogInput([improve(0), improve(1)], { nWorkers: 2 })).state)).toEqual([]);
  });
});

const optionsOf = fc.record({
  sections: fc.option(fc.integer({ min: 1, max: 5 })),
  route: fc.option(fc.constantFrom('target', 'family')),
  partition: fc.constantFrom('balanced', 'hash'),
  rotate: fc.boolean(),
  min_gain: fc.constantFrom(0, 0.2),
});
const fate = fc.record({
  status: fc.constantFrom('good', 'good', 'good', 'buggy', 'dropped'),
  gain: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
  isExhausted: fc.integer({ min: 0, max: 5 }).map((at) => at === 0),
});

/** Plans of which most items can have a section. */
const sectionedInput = fc
  .record({
    nWorkers: fc.integer({ min: 1, max: 6 }),
    items: fc.uniqueArray(
      fc.oneof(
        fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom('n1', 'n2')).map(([key, parent]) => tune(key, parent)),
        fc.tuple(fc.nat(9), fc.constantFrom('n1', 'n2')).map(([ordinal, parent]) => improve(ordinal, parent)),
        fc.constantFrom(itemOf('debug', 'n3'), itemOf('merge', 'n1', 'n100+n101')),
      ),
      { minLength: 3, maxLength: 16, selector: ([key]) => key },
    ),
    round: fc.nat(9),
  })
  .map(({ nWorkers, items, round }) => {
    const input = backlogInput(items, { nWorkers });
    return { ...input, roundOf: input.free.map(() => round) };
  });

interface Made {
  readonly base: string | null;
  readonly section: number | null;
  readonly gain: number;
}

/** Plans and observes in turn, each node under a number of its own; `check` sees each state and all winners so far. */
function drive(
  strategy: BoundStrategy,
  { inputs, fates, rounds }: { inputs: PlanInput[]; fates: Partial<StrategyOutcome>[]; rounds: number },
  check: (state: unknown, made: ReadonlyMap<string, Made>) => void,
): string[] {
  const made = new Map<string, Made>();
  const problems: string[] = [];
  let [state, count] = [strategy.initial(), 0];
  for (let round = 0; round < rounds; round++) {
    const input = inputs[round % inputs.length] ?? backlogInput([]);
    problems.push(...planTwiceProblems(strategy, state, input));
    const planned = strategy.plan(state, input);
    state = planned.state;
    for (const unit of planned.units.filter(({ keys }) => keys.length > 0)) {
      const facts = input.facts[unit.keys[0] ?? ''] ?? NO_FACTS;
      const outcome = outcomeOf({ ...fates[count % fates.length], node: `n${100 + count++}`, facts });
      if (outcome.status === 'good' && !outcome.isExhausted)
        made.set(outcome.node ?? '', { base: facts.parent, section: unit.section, gain: outcome.gain ?? 0 });
      state = strategy.observe(state, unit, unit.keys[0] ?? '', outcome);
    }
    check(state, made);
  }
  return problems;
}

test('any run keeps the contract, and unites only nodes of one base that gained in different sections', () => {
  let unions = 0;
  const drawn = [
    optionsOf,
    fc.array(fc.oneof(planInput, sectionedInput), { minLength: 1, maxLength: 5 }),
    fc.array(fate, { minLength: 1, maxLength: 7 }),
  ] as const;
  fc.assert(
    fc.property(...drawn, (options, inputs, fates) => {
      const strategy = sectionStrategy(options);
      const problems = drive(strategy, { inputs, fates, rounds: 12 }, (state, made) => {
        for (const { base, nodes } of strategy.merges(state)) {
          const parts = nodes.map((node) => made.get(node));
          const gains = parts.map((part) => part?.gain ?? Number.NaN);
          expect(parts.every((part) => part?.base === base && part.section !== null)).toBe(true);
          expect(new Set(parts.map((part) => part?.section)).size).toBe(nodes.length);
          expect(gains.every((gain) => gain > options.min_gain)).toBe(true);
          expect(gains).toEqual(gains.toSorted((a, b) => b - a));
          unions++;
        }
        expect(throughJson(state)).toEqual(state);
      });
      expect(problems).toEqual([]);
    }),
    { numRuns: 150 },
  );
  expect(unions).toBeGreaterThan(50);
});

test('the state stays bounded over 500 rounds from ever other nodes', () => {
  fc.assert(
    fc.property(optionsOf, fc.array(fate, { minLength: 1, maxLength: 7 }), (options, fates) => {
      const inputs = Array.from({ length: 500 }, (_, round) => {
        const parent = `n${1000 + (round >> 2)}`;
        return backlogInput([...KEYS.map((key) => tune(key, parent)), improve(0, parent)], { roundOf: [round, round, round] });
      });
      let most = 0;
      drive(sectionStrategy(options), { inputs, fates, rounds: 500 }, (state) => {
        most = Math.max(most, JSON.stringify(state).length);
      });
      expect(most).toBeLessThan(2000);
    }),
    { numRuns: 5 },
  );
});
