import type { ItemFacts } from '../../domain/item-facts.ts';
import { randomStream, type Random } from '../../domain/random.ts';
import type { PlanInput, StrategyOutcome, WorkUnit } from '../strategy.ts';

/** What the checks of a strategy give it: backlogs, workers and outcomes such as a stage has, the same at every time. */

/** How a scenario goes on. */
export interface Scenario {
  /** What it is called in a counterexample. */
  readonly name: string;
  readonly schedule: 'barrier' | 'async';
  /** The workers of each plan; the last number holds from then on. */
  readonly workers: readonly number[];
  readonly plans: number;
  /** Items of the backlog at most. */
  readonly keys: number;
}

/** A stage that goes on as a strategy plans. */
export interface Stage {
  /** What the next plan is made from. */
  readonly next: () => PlanInput;
  /** Starts the first item of each unit that has one; gives what then ends, in order. */
  readonly start: (units: readonly WorkUnit[]) => Ended[];
}

/** Work that ended. */
export interface Ended {
  readonly unit: WorkUnit;
  readonly key: string;
  readonly outcome: StrategyOutcome;
}

interface Running {
  readonly unit: WorkUnit;
  readonly key: string;
  readonly facts: ItemFacts;
}

const COMPONENTS = ['model.depth', 'model.width', 'train.rate', 'data.augment', 'x'];
const OPERATORS = ['improve', 'tune', 'ablate', 'merge'];

/** A stage of this scenario, in its first plan. */
export function stageOf(scenario: Scenario): Stage {
  const random = randomStream(7, scenario.name);
  const running = new Map<number, Running>();
  const rounds: number[] = [];
  let plans = 0;
  let made = 0;
  let offered: Record<string, ItemFacts> = {};
  const next = (): PlanInput => {
    const count = scenario.workers[Math.min(plans, scenario.workers.length - 1)] ?? 1;
    plans += 1;
    while (rounds.length < count) rounds.push(0);
    rounds.length = count;
    offered = Object.fromEntries(
      Array.from({ length: random.below(scenario.keys + 1) }, () => [`item#${made++}`, factsBy(random)]),
    );
    // Work in flight may be offered again, and is not to be given out twice.
    const [busy] = running.values();
    if (busy !== undefined && random.below(4) === 0) offered = { [busy.key]: busy.facts, ...offered };
    const free = rounds.map((_, worker) => worker).filter((worker) => !running.has(worker));
    const inFlight = [...running.values()].map(({ key }) => key);
    return {
      nWorkers: count,
      free,
      roundOf: [...rounds],
      keys: Object.keys(offered),
      inFlight,
      facts: { ...offered },
      components: COMPONENTS,
    };
  };
  const start = (units: readonly WorkUnit[]): Ended[] => {
    for (const unit of units) {
      const [key] = unit.keys;
      if (key === undefined) continue;
      running.set(unit.worker, { unit, key, facts: offered[key] ?? factsBy(random) });
      rounds[unit.worker] = (rounds[unit.worker] ?? 0) + 1;
    }
    const isAll = scenario.schedule === 'barrier' || running.size <= 1;
    const over = [...running].filter(() => isAll || random.below(2) === 0);
    return over.map(([worker, { unit, key, facts }]) => {
      running.delete(worker);
      return { unit, key, outcome: outcomeBy(random, facts) };
    });
  };
  return { next, start };
}

/** An input that is made by hand; all workers are free in their first round where it does not say. */
export function inputOf(change: Partial<PlanInput> & Pick<PlanInput, 'nWorkers' | 'keys'>): PlanInput {
  const workers = Array.from({ length: change.nWorkers }, (_, worker) => worker);
  const random = randomStream(7, 'by hand');
  return {
    free: workers,
    roundOf: workers.map(() => 0),
    inFlight: [],
    facts: Object.fromEntries(change.keys.map((key) => [key, factsBy(random)])),
    components: COMPONENTS,
    ...change,
  };
}

function factsBy(random: Random): ItemFacts {
  const some = (list: readonly string[]): string | null => (random.below(5) === 0 ? null : (random.pick(list) ?? null));
  return {
    operator: random.pick(OPERATORS) ?? 'improve',
    parent: some(['n1', 'n2', 'n5']),
    target: some(COMPONENTS),
    family: some(['linear', 'forest', 'net']),
    component_group: some(['model', 'train']),
  };
}

function outcomeBy(random: Random, facts: ItemFacts): StrategyOutcome {
  const status = random.pick(['good', 'good', 'buggy', 'dropped'] as const) ?? 'good';
  return {
    status,
    gain: status === 'good' && random.below(4) > 0 ? random.next() - 0.5 : null,
    node: status === 'dropped' ? null : `n${random.below(50) + 1}`,
    facts,
    isExhausted: status === 'dropped' && random.below(2) === 0,
  };
}
