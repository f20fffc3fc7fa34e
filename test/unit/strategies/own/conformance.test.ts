import { describe, expect, test } from 'vitest';
import { conformanceOf } from '../../../../src/strategies/own/conformance.ts';
import { ownEntry } from '../../../../src/strategies/own/own.ts';
import { bindStrategy, STRATEGIES } from '../../../../src/strategies/registry.ts';
import type { BoundStrategy, PlanInput, StrategyOutcome, WorkUnit } from '../../../../src/strategies/strategy.ts';
import { blockParallel } from '../../../../strategies/block-parallel.ts';

/** Checks of what is broken on purpose; each breaks one rule and is found by the check of that rule. */

interface State {
  readonly n: number;
  readonly seen?: readonly string[];
}
type Plan = (options: unknown, state: State, input: PlanInput) => { state: unknown; units: unknown[] };

const open = ({ keys, inFlight }: PlanInput): string[] => keys.filter((key) => !inFlight.includes(key));
const dealt = (input: PlanInput, first = 0): WorkUnit[] => {
  const keys = open(input);
  return input.free.map((worker, index) => {
    const key = keys[(first + index) % Math.max(1, keys.length)];
    return { worker, keys: index < keys.length && key !== undefined ? [key] : [], stage: 0, section: null };
  });
};

/** A good strategy with something changed; made anew at each call, as a module that is loaded again. */
function made(change: object): BoundStrategy {
  const good = {
    name: 'mine',
    about: 'the first items to the free workers',
    initial: () => ({ n: 0 }),
    plan: ((_options, state, input) => ({ state: { ...state, n: (state.n + 1) % 1000 }, units: dealt(input) })) satisfies Plan,
    observe: (_options: unknown, state: State) => state,
  };
  const own = {
    name: 'own:0123456789abcdef:mine',
    where: 'mine.ts',
    exported: 'mine',
    exports: { mine: { ...good, ...change } },
  };
  return ownEntry(own).bind({});
}

const problemsOf = (make: () => object): Record<string, string> =>
  Object.fromEntries(
    conformanceOf(made(make()), made(make())).flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem]])),
  );

const withPlan = (plan: Plan) => () => ({ plan });
const chance = Math.random;

describe('the checks of a strategy pass', () => {
  test.each(STRATEGIES.map(({ name }) => name))('%s', (name) => {
    const checked = conformanceOf(bindStrategy(name, {}), bindStrategy(name, {}));
    expect(checked.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(checked.length).toBeGreaterThan(8);
  });

  test('the documented example, and an object that keeps a state', () => {
    const block = { name: 'x', where: 'block-parallel.ts', exports: { blockParallel }, exported: 'blockParallel' };
    for (const strategy of [ownEntry(block).bind({}), made({})])
      expect(conformanceOf(strategy, strategy).filter(({ problem }) => problem !== null)).toEqual([]);
  });
});

describe('the checks of a strategy find', () => {
  test.each<[string, () => object, string, RegExp]>([
    [
      'chance',
      withPlan((_options, state, input) => ({ state, units: dealt(input, Math.floor(Math.random() * 100)) })),
      'uses no clock and no chance',
      /`plan` threw Error: a strategy has no Math\.random; given \{"nWorkers":3/,
    ],
    [
      'chance that was taken before it could be hidden',
      withPlan((_options, state, input) => ({ state, units: dealt(input, Math.floor(chance() * 100)) })),
      'gives the same for the same',
      /^the same input gave another answer in plan \d+: /,
    ],
    [
      'a clock',
      () => ({ initial: () => ({ n: Date.now() % 100 }) }),
      'uses no clock and no chance',
      /`initial` threw Error: a strategy has no Date\.now/,
    ],
    [
      'a date of now',
      withPlan((_options, _state, input) => ({ state: { n: new Date().getSeconds() }, units: dealt(input) })),
      'uses no clock and no chance',
      /a strategy has no new Date\(\)/,
    ],
    [
      'the environment',
      withPlan((_options, state, input) => ({ state, units: process.pid > 0 ? dealt(input) : [] })),
      'uses no clock and no chance',
      /a strategy has no process/,
    ],
    [
      'a count outside of the state',
      () => {
        let calls = 0;
        return { plan: ((_options, state, input) => ({ state, units: dealt(input, calls++) })) satisfies Plan };
      },
      'keeps all that it knows in its state',
      /^a worker that was started again gave another answer in plan \d+/,
    ],
    [
      'what was observed, kept outside of the state',
      () => {
        let best = 0;
        const observe = (_options: unknown, state: State, _unit: unknown, _key: string, { gain }: StrategyOutcome): State => {
          best = Math.max(best, gain ?? 0);
          return state;
        };
        return { observe, plan: ((_o, state, input) => ({ state, units: dealt(input, best > 0.4 ? 1 : 0) })) satisfies Plan };
      },
      'keeps all that it knows in its state',
      /^a worker that was started again gave another answer in plan \d+/,
    ],
    [
      'a key for two workers',
      withPlan((_options, state, input) => ({
        state,
        units: input.free.map((worker) => ({ worker, keys: open(input).slice(0, 1) })),
      })),
      'hands out what was offered, once, to free workers, in rounds',
      /its plan breaks the contract: a key was handed out twice; given /,
    ],
    [
      'work for workers that are not free',
      withPlan((_options, state, input) => ({
        state,
        units: Array.from({ length: input.nWorkers }, (_, worker) => ({ worker, keys: open(input).slice(worker, worker + 1) })),
      })),
      'the same with workers that come free one by one',
      /worker \d is not free/,
    ],
    [
      'work that is in flight',
      withPlan((_options, state, input) => ({ state, units: dealt({ ...input, inFlight: [] }) })),
      'hands out nothing when there is nothing to do, or nobody to do it',
      /a is in flight/,
    ],
    [
      'idleness',
      withPlan((_o, state) => ({ state, units: [] })),
      'the same for one worker',
      /though all are idle and there is work/,
    ],
    [
      'a state that grows with the run',
      withPlan((_options, state, input) => ({
        state: { n: 0, seen: [...(state.seen ?? []), 'x'.repeat(9)] },
        units: dealt(input),
      })),
      'keeps a state that stays small, however long the run',
      /^the state has \d+ characters after 100 plans and \d+ after 400: it grows with the run$/,
    ],
    [
      'a state that grows fast',
      withPlan((_options, state, input) => ({
        state: { n: 0, seen: [...(state.seen ?? []), 'x'.repeat(5000)] },
        units: dealt(input),
      })),
      'keeps a state that stays small, however long the run',
      /`plan`: the state has \d+ characters, 65536 at most/,
    ],
    [
      'a state that is no JSON',
      withPlan((_options, _state, input) => ({ state: { n: new Map() }, units: dealt(input) })),
      'the same for one worker',
      /the state is not plain JSON/,
    ],
    [
      'a change of what it is given',
      withPlan((_options, state, input) => {
        Array.prototype.sort.call(input.keys);
        return { state, units: dealt(input) };
      }),
      'hands out what was offered, once, to free workers, in rounds',
      /`plan` threw TypeError/,
    ],
    [
      'a look at all of the backlog',
      () => ({ lookahead: () => 5000 }),
      'wants to see one item at least for each free worker, and not all that there are',
      /`lookahead` gave what does not fit/,
    ],
    [
      'a merge of one node',
      () => ({ merges: () => [{ base: 'n1', nodes: ['n2'] }] }),
      'the same for one worker',
      /`merges` gave/,
    ],
  ])('%s', (_, make, name, problem) => {
    const found = problemsOf(make);
    expect(Object.keys(found)).toContain(name);
    expect(found[name]).toMatch(problem);
    for (const line of Object.values(found)) expect(line).not.toContain('\n');
  });

  test('nothing that another process would not find: the checks themselves draw nothing', () => {
    const make = withPlan((_options, state, input) => ({ state: { n: state.n + 1 }, units: dealt(input, state.n * state.n) }));
    expect(problemsOf(make)).toEqual(problemsOf(make));
  });
});
