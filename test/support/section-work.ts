import type { ItemFacts } from '../../src/domain/item-facts.ts';
import { bindStrategy } from '../../src/strategies/registry.ts';
import type { BoundStrategy, PlanInput, StrategyOutcome, WorkUnit } from '../../src/strategies/strategy.ts';
import { NO_FACTS, outcomeOf, planInputOf } from './strategy-input.ts';

/** Items, plans and rounds of work in sections. */

/** An item's id and what it is about. */
export type KnownItem = readonly [string, ItemFacts];

/** The component keys of the plans here. */
export const KEYS: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f'];

/** The strategy over sections. */
export function sectionStrategy(options: object = {}): BoundStrategy {
  return bindStrategy('tensor_parallel', options);
}

/** The tuning of a key. */
export function tune(target: string, parent = 'n1'): KnownItem {
  return [`tune:${parent}:${target}#0`, { ...NO_FACTS, operator: 'tune', parent, target }];
}

/** An improvement of a node. */
export function improve(ordinal: number, parent = 'n1'): KnownItem {
  return [`improve:${parent}#${ordinal}`, { ...NO_FACTS, parent }];
}

/** An item of any operator. */
export function itemOf(operator: string, parent = 'n1', target: string | null = null): KnownItem {
  return [`${operator}:${parent}${target === null ? '' : `:${target}`}#0`, { ...NO_FACTS, operator, parent, target }];
}

/** What three workers plan from. */
export function backlogInput(items: readonly KnownItem[], change: Partial<PlanInput> = {}): PlanInput {
  const keys = items.map(([key]) => key);
  return planInputOf({ nWorkers: 3, keys, facts: Object.fromEntries(items), components: KEYS, ...change });
}

/** Worker, section and items of each unit. */
export function shown(units: readonly WorkUnit[]): unknown[][] {
  return units.map(({ worker, section, keys }) => [worker, section, ...keys]);
}

/** The unit of a section of three. */
export function sectionUnit(section: number): WorkUnit {
  const mayChange = KEYS.filter((_, at) => at % 3 === section);
  return { worker: section, keys: [], stage: 0, section, mayChange };
}

/** The state after a round from a node in which work in these sections came to such ends. */
export function afterRound(
  strategy: BoundStrategy,
  seen: readonly (readonly [number, Partial<StrategyOutcome>])[],
  { before = strategy.initial(), parent = 'n1' }: { before?: unknown; parent?: string } = {},
): unknown {
  const begun = strategy.plan(before, backlogInput([0, 1, 2].map((at) => improve(at, parent)))).state;
  const outcome = (change: Partial<StrategyOutcome>): StrategyOutcome => outcomeOf({ facts: { ...NO_FACTS, parent }, ...change });
  return seen.reduce((state, [section, change]) => strategy.observe(state, sectionUnit(section), 'x', outcome(change)), begun);
}
