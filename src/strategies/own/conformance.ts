import { clip, messageOf, oneLine } from '../../domain/failure.ts';
import { inputOf, stageOf, type Scenario } from './conformance-input.ts';
import { withoutChance } from './no-chance.ts';
import { frozen, planProblems, stateProblem } from './plan-rules.ts';
import type { BoundStrategy, PlanInput, WorkUnit } from '../strategy.ts';

/**
 * The contract of a strategy as checks that anyone can run: `scientist strategies check`, and a run before it begins.
 * They are the same at every time; what they find is a counterexample in one line.
 */

/** What a check found. */
export interface Checked {
  /** What the strategy should do. */
  readonly name: string;
  /** How it did not; `null` when it did. */
  readonly problem: string | null;
}

/**
 * Checks a strategy with its options. `again` is the same one, loaded once more, as in a worker that was started
 * again: what a module keeps outside of the state is seen by it.
 */
export function conformanceOf(strategy: BoundStrategy, again: BoundStrategy): Checked[] {
  return CHECKS.map(({ name, find }) => ({ name, problem: found(() => find(strategy, again)) }));
}

interface Check {
  readonly name: string;
  readonly find: (strategy: BoundStrategy, again: BoundStrategy) => string | null;
}

const BARRIER: Scenario = { name: 'barrier', schedule: 'barrier', workers: [3], plans: 60, keys: 14 };
const ASYNC: Scenario = { name: 'async', schedule: 'async', workers: [4], plans: 80, keys: 24 };
const TURNOVER: Scenario = { name: 'turnover', schedule: 'async', workers: [2, 5, 1, 3, 8, 1, 4], plans: 40, keys: 20 };
const CROWD: Scenario = { name: 'crowd', schedule: 'barrier', workers: [20], plans: 20, keys: 6 };
const LONE: Scenario = { name: 'lone', schedule: 'barrier', workers: [1], plans: 40, keys: 6 };
const LONG: Scenario = { name: 'long', schedule: 'barrier', workers: [4], plans: 400, keys: 8 };

const CHECKS: readonly Check[] = [
  { name: 'uses no clock and no chance', find: (strategy) => withoutChance(() => firstProblem(strategy, [BARRIER, ASYNC])) },
  { name: 'gives the same for the same', find: (strategy) => inOrder([BARRIER, ASYNC], (scenario) => twice(strategy, scenario)) },
  {
    name: 'keeps all that it knows in its state',
    find: (strategy, again) => inOrder([BARRIER, ASYNC], (scenario) => restarted(strategy, again, scenario)),
  },
  { name: 'hands out what was offered, once, to free workers, in rounds', find: (strategy) => firstProblem(strategy, [BARRIER]) },
  { name: 'the same with workers that come free one by one', find: (strategy) => firstProblem(strategy, [ASYNC]) },
  { name: 'the same for one worker', find: (strategy) => firstProblem(strategy, [LONE]) },
  { name: 'the same for more workers than keys', find: (strategy) => firstProblem(strategy, [CROWD]) },
  { name: 'the same when workers come and go', find: (strategy) => firstProblem(strategy, [TURNOVER]) },
  { name: 'hands out nothing when there is nothing to do, or nobody to do it', find: idle },
  { name: 'keeps a state that stays small, however long the run', find: growing },
  { name: 'wants to see one item at least for each free worker, and not all that there are', find: greedy },
];

/** One step of a scenario as it went. */
interface Step {
  readonly input: PlanInput;
  readonly units: readonly WorkUnit[];
  /** After what ended was observed. */
  readonly state: unknown;
}

type Turn = (step: number) => BoundStrategy;

/** Goes through a scenario; `turn` says who plans in each step. Every state goes through JSON, as between two tasks. */
function* steps(turn: Turn, scenario: Scenario): Generator<Step> {
  const stage = stageOf(scenario);
  let state = frozen(turn(0).initial());
  for (let step = 0; step < scenario.plans; step++) {
    const strategy = turn(step);
    const input = frozen(stage.next());
    const planned = called(input, () => strategy.plan(state, input));
    const problem = planProblems(input, planned.units)[0] ?? stateProblem(planned.state);
    if (problem !== null) throw new Counterexample(problem, input, planned.units);
    state = frozen(planned.state);
    for (const { unit, key, outcome } of stage.start(planned.units)) {
      state = carried(called(outcome, () => strategy.observe(state, frozen(unit), key, frozen(outcome))));
    }
    strategy.merges(state);
    yield { input, units: planned.units, state };
  }
}

/** A plan that breaks the contract, with what it was made from. */
class Counterexample extends Error {
  constructor(problem: string, input: unknown, answer?: unknown) {
    super(`${problem}; given ${JSON.stringify(input)}${answer === undefined ? '' : `, it gave ${JSON.stringify(answer)}`}`);
  }
}

function called<T>(given: unknown, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new Counterexample(messageOf(error), given);
  }
}

function carried(state: unknown): unknown {
  const problem = stateProblem(state);
  if (problem !== null) throw new Error(problem);
  return frozen(state);
}

function firstProblem(strategy: BoundStrategy, scenarios: readonly Scenario[]): string | null {
  return inOrder(scenarios, (scenario) => {
    const count = [...steps(() => strategy, scenario)].length;
    return count === scenario.plans ? null : `it made ${count} plans of ${scenario.plans}`;
  });
}

/** Each plan is made again, after all the others were. */
function twice(strategy: BoundStrategy, scenario: Scenario): string | null {
  const before = [...steps(() => strategy, scenario)];
  const after = [...steps(() => strategy, scenario)];
  return difference(before, after, 'the same input gave another answer');
}

/** Another instance plans from the middle on, and every second step. */
function restarted(strategy: BoundStrategy, again: BoundStrategy, scenario: Scenario): string | null {
  const alone = [...steps(() => strategy, scenario)];
  const half = [...steps((step) => (step < scenario.plans / 2 ? strategy : again), scenario)];
  const turns = [...steps((step) => (step % 2 === 0 ? again : strategy), scenario)];
  const words = 'a worker that was started again gave another answer';
  return difference(alone, half, words) ?? difference(alone, turns, words);
}

function difference(before: readonly Step[], after: readonly Step[], words: string): string | null {
  for (const [at, step] of before.entries()) {
    const other = after[at];
    if (JSON.stringify(step) === JSON.stringify(other)) continue;
    const [first, second] = [step, other].map((one) => JSON.stringify({ units: one?.units, state: one?.state }));
    return `${words} in plan ${at + 1}: ${first ?? ''}, then ${second ?? ''}`;
  }
  return null;
}

function idle(strategy: BoundStrategy): string | null {
  const inputs = [
    inputOf({ nWorkers: 3, keys: [] }),
    inputOf({ nWorkers: 3, keys: ['a', 'b'], free: [] }),
    inputOf({ nWorkers: 3, keys: ['a'], inFlight: ['a'], free: [1, 2] }),
  ];
  return inOrder(inputs, (input) => {
    const { units } = called(input, () => strategy.plan(frozen(strategy.initial()), frozen(input)));
    return units.some(({ keys }) => keys.length > 0) ? new Counterexample('it handed something out', input, units).message : null;
  });
}

function growing(strategy: BoundStrategy): string | null {
  const sizes = [...steps(() => strategy, LONG)].map(({ state }) => JSON.stringify(state).length);
  const [quarter = 0, end = 0] = [sizes[LONG.plans / 4], sizes.at(-1)];
  return end <= 2 * quarter + 1024
    ? null
    : `the state has ${quarter} characters after ${LONG.plans / 4} plans and ${end} after ${LONG.plans}: it grows with the run`;
}

function greedy(strategy: BoundStrategy): string | null {
  return inOrder([1, 2, 10, 1000], (free) => {
    const want = strategy.lookahead(free);
    return Number.isInteger(want) && want >= free && want <= 100 * free
      ? null
      : `it wants to see ${want} items for ${free} free workers, not ${free} to ${100 * free}`;
  });
}

function inOrder<T>(list: readonly T[], find: (entry: T) => string | null): string | null {
  for (const entry of list) {
    const problem = find(entry);
    if (problem !== null) return problem;
  }
  return null;
}

/** What a check finds, in one line that can be read; what is thrown is found too. */
function found(find: () => string | null): string | null {
  try {
    const problem = find();
    return problem === null ? null : clip(oneLine(problem), 700);
  } catch (error) {
    return clip(oneLine(messageOf(error)), 700);
  }
}
