import { keysBySection, ownersOf, turnOf } from '../../../src/strategies/sections/partition.ts';
import { ownEntry } from '../../../src/strategies/own/own.ts';
import { sectionLists } from '../../../src/strategies/sections/plan.ts';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import type { BoundStrategy, WorkUnit } from '../../../src/strategies/strategy.ts';
import { blockParallel } from '../../../strategies/block-parallel.ts';
import { NO_FACTS, planInputOf } from '../../support/strategy-input.ts';
import { PASS_THRESHOLD, ReferenceClusters } from './clusters.ts';
import type { EngineInput, EngineStrategy } from './engine-input.ts';

/**
 * Who plans the rounds of a whole run: the product's own strategy wherever it means the same. Where it differs on
 * purpose, so that no two workers do the same task, its pure functions, put together as the reference does.
 */
export interface Planner {
  /** The units of a round, one for each worker. */
  readonly plan: (round: number, tasks: readonly string[]) => readonly WorkUnit[];
  /** Learns from a rollout; absent where nothing is learned. */
  readonly observe?: (task: string, score: number) => void;
  /** What was learned, as the vectors write it. */
  readonly learned?: () => object[];
}

type Sections = Extract<EngineStrategy, { name: 'TP' }>;

/** The planner of a run. */
export function plannerOf(input: EngineInput): Planner {
  const { strategy } = input;
  switch (strategy.name) {
    case 'DP':
      return productPlanner(bindStrategy('data_parallel', {}), input);
    case 'block':
      return productPlanner(ownBlocks(), input);
    case 'TP':
      return isAsInProduct(strategy, input) ? productPlanner(sectionsOf(strategy), input) : sectionPlanner(strategy, input);
    case 'CP':
      return clusterPlanner(new ReferenceClusters(input.category_of_task, strategy.c, PASS_THRESHOLD), input);
  }
}

/** As a user's own strategy is bound, with all that is checked of its plans. */
function ownBlocks(): BoundStrategy {
  const where = 'strategies/block-parallel.ts';
  return ownEntry({ name: 'block', where, exports: { blockParallel }, exported: 'blockParallel' }).bind({});
}

function sectionsOf({ n_sections: sections, keys, route }: Sections): BoundStrategy {
  return bindStrategy('tensor_parallel', { sections, keys, route: route === false ? null : 'target', unrouted: 'drop' });
}

/** With a route, workers of one section share its list here; and keys that were not given are those declared. */
function isAsInProduct({ n_sections: sections, keys, route }: Sections, { n_workers: workers }: EngineInput): boolean {
  return route === false || (keys !== null && workers <= sections);
}

/** Tasks stay in the backlog for ever and nothing is reported, as these strategies of the reference learn nothing. */
function productPlanner(strategy: BoundStrategy, input: EngineInput): Planner {
  let state = strategy.initial();
  const { category_of_task: categories, artifact_keys_declared: components } = input;
  return {
    plan: (round, tasks) => {
      const facts = tasks.map((task) => [task, { ...NO_FACTS, parent: 'n1', target: categories[task] ?? null }] as const);
      const offered = planInputOf({ nWorkers: input.n_workers, keys: tasks, components, facts: Object.fromEntries(facts) });
      const planned = strategy.plan(state, { ...offered, roundOf: offered.free.map(() => round) });
      state = planned.state;
      return planned.units;
    },
  };
}

/** The reference gives a route only the keys that the strategy was given, and holds edits to those declared. */
function sectionPlanner({ n_sections: count, keys }: Sections, input: EngineInput): Planner {
  const seats = Array.from({ length: input.n_workers }, (_, worker) => ({ worker, section: turnOf(worker, count) }));
  const routed = ownersOf(keys ?? [], count);
  const enforced = keysBySection(ownersOf(keys ?? input.artifact_keys_declared, count), count);
  const route = (task: string): number | null => routed.get(input.category_of_task[task] ?? '') ?? null;
  return {
    plan: (round, tasks) => {
      const lists = sectionLists(tasks, seats, { nWorkers: input.n_workers, roundOf: seats.map(() => round), route });
      return seats.map((seat, at) => ({ ...seat, keys: lists[at] ?? [], stage: 0, mayChange: enforced[seat.section] ?? [] }));
    },
  };
}

function clusterPlanner(clusters: ReferenceClusters, { n_workers: workers }: EngineInput): Planner {
  return {
    plan: (_round, tasks) => clusters.plan(workers, tasks).units,
    observe: (task, score) => clusters.observe(task, score),
    learned: () => clusters.state(),
  };
}
