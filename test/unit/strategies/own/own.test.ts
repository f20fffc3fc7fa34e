import { describe, expect, test } from 'vitest';
import { PlatformFailure } from '../../../../src/domain/failure.ts';
import { ownEntryNamed, ownName, ownNameParts, registerOwn } from '../../../../src/strategies/own/modules.ts';
import { ownEntry } from '../../../../src/strategies/own/own.ts';
import { bindStrategy, checkStrategies, strategyOfStage } from '../../../../src/strategies/registry.ts';
import type { BoundStrategy, PlanInput } from '../../../../src/strategies/strategy.ts';
import { blockParallel } from '../../../../strategies/block-parallel.ts';
import { stageDefinition, testPlan } from '../../../support/plan.ts';
import { outcomeOf, planInputOf } from '../../../support/strategy-input.ts';

const HASH = '0123456789abcdef';
const entryOf = (exports: Readonly<Record<string, unknown>>, exported = 'mine') =>
  ownEntry({ name: ownName(HASH, exported), where: 'strategies/x.ts', exports, exported });

const good = {
  name: 'mine',
  about: 'all to the first free worker',
  initial: () => ({ n: 0 }),
  plan: (_options: unknown, state: unknown, { free, keys }: PlanInput) => ({ state, units: [{ worker: free[0] ?? 0, keys }] }),
};
const mine = (change: object, options: unknown = {}): BoundStrategy => entryOf({ mine: { ...good, ...change } }).bind(options);
const input = planInputOf({ nWorkers: 2, keys: ['a', 'b', 'c'] });
const refusal = (message: string | RegExp): unknown =>
  expect.objectContaining({
    type: 'StrategyRefused',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    fix: expect.stringContaining('docs/strategies.md'),
  });

describe('an export that is no strategy is refused, and it is said what is missing or wrong', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no export', { other: good, more: 1 }, 'strategies/x.ts has no export mine; it exports: other, more'],
    ['nothing exported', {}, 'strategies/x.ts has no export mine'],
    ['a number', { mine: 5 }, 'strategies/x.ts: export mine is a number: expected an object or a function'],
    ['no plan', { mine: { ...good, plan: undefined } }, 'strategies/x.ts: export mine has no `plan`: expected a function'],
    [
      'no first state',
      { mine: { ...good, initial: undefined } },
      'strategies/x.ts: export mine has no `initial`: expected a function',
    ],
    [
      'a plan of another kind',
      { mine: { ...good, plan: 'all' } },
      'strategies/x.ts: export mine has a `plan` that is a text: expected a function',
    ],
    [
      'a list for observe',
      { mine: { ...good, observe: [] } },
      'strategies/x.ts: export mine has a `observe` that is a list: expected a function',
    ],
    ['no name', { mine: { ...good, name: undefined } }, 'strategies/x.ts: export mine has no `name`: expected a text'],
    [
      'an empty about',
      { mine: { ...good, about: '' } },
      'strategies/x.ts: export mine has a `about` that is an empty text: expected a text',
    ],
    [
      'an unknown operator',
      { mine: { ...good, operators: ['sleep'] } },
      'strategies/x.ts: export mine has `operators` that do not fit: expected a list of draft, debug, improve, tune, ablate, merge',
    ],
  ])('%s', (_, exports, message) => {
    expect(() => entryOf(exports)).toThrow(refusal(message));
  });
});

describe('a strategy of a user', () => {
  test('plans with its options and its state, and learns; absent members have defaults', () => {
    const counting = mine(
      {
        plan: (options: { first: number }, { n }: { n: number }, { free, keys }: PlanInput) => ({
          state: { n: n + 1 },
          units: [{ worker: free[0], keys: keys.slice(options.first) }],
        }),
        observe: (_options: unknown, { n }: { n: number }) => ({ n: n + 100 }),
        lookahead: (free: number) => 3 * free,
        merges: () => [{ base: 'n1', nodes: ['n2', 'n3'] }],
      },
      { first: 1 },
    );
    const planned = counting.plan(counting.initial(), input);
    expect(planned).toEqual({ state: { n: 1 }, units: [{ worker: 0, keys: ['b', 'c'], stage: 0, section: null }] });
    const [unit] = planned.units;
    if (unit === undefined) throw new Error('no unit');
    expect(counting.observe(planned.state, unit, 'b', outcomeOf())).toEqual({ n: 101 });
    expect(counting.lookahead(4)).toBe(12);
    expect(counting.merges(planned.state)).toEqual([{ base: 'n1', nodes: ['n2', 'n3'] }]);
    const plain = mine({});
    expect(plain.observe({ n: 7 }, unit, 'b', outcomeOf())).toEqual({ n: 7 });
    expect(plain.lookahead(2)).toBe(16);
    expect(plain.merges({ n: 7 })).toEqual([]);
  });

  test('may be an instance of a class, whose methods see it', () => {
    class Mine {
      readonly name = 'mine';
      readonly about = 'of a class';
      readonly worker = 1;
      initial(): object {
        return {};
      }
      plan(_options: unknown, state: unknown, { keys }: PlanInput): object {
        return { state, units: [{ worker: this.worker, keys }] };
      }
    }
    expect(entryOf({ mine: new Mine() }).bind({}).plan({}, input).units[0]?.worker).toBe(1);
  });

  test('is for the stages of its operators only', () => {
    expect(['improve', 'tune'].map((name) => entryOf({ mine: { ...good, operators: ['tune'] } }).isFor(name as 'tune'))).toEqual([
      false,
      true,
    ]);
  });

  test.each<[string, object, RegExp]>([
    [
      'throws',
      {
        plan: () => {
          throw new TypeError('oh');
        },
      },
      /x\.ts, export mine: `plan` threw TypeError: oh$/,
    ],
    ['gives no units', { plan: () => ({ state: {} }) }, /`plan` gave what does not fit: units: Invalid input/],
    ['gives a worker that is a text', { plan: () => ({ state: {}, units: [{ worker: '0', keys: [] }] }) }, /units: 0: worker: /],
    ['gives no state', { plan: () => ({ units: [{ worker: 0, keys: ['a'] }] }) }, /`plan` gave what does not fit: state: /],
    [
      'hands out what was not offered',
      { plan: () => ({ state: {}, units: [{ worker: 0, keys: ['z'] }] }) },
      /its plan breaks the contract: z was not offered/,
    ],
    [
      'hands out nothing',
      { plan: () => ({ state: {}, units: [] }) },
      /nothing is handed out though all are idle and there is work/,
    ],
    [
      'changes its input',
      {
        plan: (_: unknown, state: unknown, { keys }: { keys: string[] }) => ({
          state,
          units: [{ worker: 0, keys: keys.splice(0, 1) }],
        }),
      },
      /`plan` threw TypeError: Cannot/,
    ],
    [
      'has a state with a loop',
      {
        plan: () => {
          const loop: Record<string, unknown> = {};
          loop['loop'] = loop;
          return { state: loop, units: [{ worker: 0, keys: ['a'] }] };
        },
      },
      /the state is not plain JSON/,
    ],
    [
      'has a large state',
      { plan: () => ({ state: 'x'.repeat(70_000), units: [{ worker: 0, keys: ['a'] }] }) },
      /the state has 70002 characters, 65536 at most/,
    ],
  ])('is refused in words when it %s', (_, change, message) => {
    expect(() => mine(change).plan({ n: 0 }, input)).toThrow(refusal(message));
  });

  test('gets a state that nobody else holds', () => {
    const held = { n: 0 };
    const strategy = mine({ initial: () => held });
    const state = strategy.initial();
    held.n = 5;
    expect(state).toEqual({ n: 0 });
  });

  test('has its failures turned into what the caller can use', () => {
    const own = { name: 'own', where: 'x.ts', exports: { mine: { ...good, plan: () => null } }, exported: 'mine' };
    const guarded = ownEntry(own, (decide) => {
      try {
        return decide();
      } catch (error) {
        throw new Error('guarded', { cause: error });
      }
    });
    expect(() => guarded.bind({}).plan({}, input)).toThrow('guarded');
  });
});

describe('a function of three arguments', () => {
  const strategy = entryOf({ mine: blockParallel }).bind({});

  test('gives contiguous blocks of ceil(keys / workers) keys', () => {
    const wide = planInputOf({ nWorkers: 3, keys: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] });
    expect(strategy.plan(strategy.initial(), wide).units.map(({ keys }) => keys)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
      ['g'],
    ]);
  });

  test('sees the smallest round of the free workers and the keys that are not in flight; who is not free is left out', () => {
    const seen: unknown[] = [];
    const spy = entryOf({
      mine: (...args: unknown[]) => {
        seen.push(args);
        return [0, 1, 2].map((worker) => ({ worker, keys: worker === 1 ? ['b'] : ['c'] }));
      },
    }).bind({});
    const units = spy.plan(
      {},
      planInputOf({ nWorkers: 3, free: [1], roundOf: [1, 4, 9], keys: ['a', 'b', 'c'], inFlight: ['a'] }),
    ).units;
    expect(seen).toEqual([[3, 4, ['b', 'c']]]);
    expect(units).toEqual([{ worker: 1, keys: ['b'], stage: 0, section: null }]);
  });

  test('is refused in words when it gives no list of units', () => {
    const bad = entryOf({ mine: () => 'all' }).bind({});
    expect(() => bad.plan({}, input)).toThrow(refusal(/`plan` gave what does not fit: units: /));
  });
});

describe('the registry', () => {
  const name = ownName('00000000000000aa', 'blockParallel');

  test('finds a strategy of a user by hash and export, like any other', () => {
    registerOwn('00000000000000aa', () => ({ blockParallel }));
    expect(bindStrategy(name, {}).name).toBe(name);
    const plan = testPlan({ strategy: { name, options: {} } });
    expect(() => checkStrategies(plan)).not.toThrow();
    expect(strategyOfStage(plan, stageDefinition('creative_research')).name).toBe(name);
    expect(() => bindStrategy(ownName('00000000000000aa', 'other'), {})).toThrow(
      refusal(/has no export other; it exports: blockParallel$/),
    );
  });

  test('has no refusal for one that this worker lacks: a worker that has it will go on', () => {
    const lacking = ownName('00000000000000bb', 'x');
    expect(() => bindStrategy(lacking, {})).toThrow(/does not have the strategy own:00000000000000bb:x/);
    expect(() => bindStrategy(lacking, {})).not.toThrow(PlatformFailure);
  });

  test('loads a module when it is asked for, and refuses one that cannot be loaded', () => {
    registerOwn('00000000000000cc', () => {
      throw new ReferenceError('process is not defined');
    });
    expect(() => ownEntryNamed(ownName('00000000000000cc', 'x'))).toThrow(
      refusal(/cannot be loaded: ReferenceError: process is not defined/),
    );
  });

  test.each(['in_order', 'own:xyz:a', 'own:0123456789abcdef', 'own:0123456789abcdef:a b'])(
    'takes %s for no such name',
    (other) => {
      expect(ownNameParts(other)).toBeNull();
      expect(ownEntryNamed(other)).toBeNull();
    },
  );
});
