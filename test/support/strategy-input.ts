import type { ItemFacts } from '../../src/domain/item-facts.ts';
import type { PlanInput, StrategyOutcome } from '../../src/strategies/strategy.ts';

/** What strategies are given, with what a test does not care about filled in. */

/** An item about nothing. */
export const NO_FACTS: ItemFacts = { operator: 'improve', parent: null, target: null, family: null, component_group: null };

/** An input with all workers free in round 0, and items about nothing. */
export function planInputOf(change: Partial<PlanInput> & Pick<PlanInput, 'nWorkers' | 'keys'>): PlanInput {
  const workers = Array.from({ length: Math.max(0, change.nWorkers) }, (_, worker) => worker);
  return {
    free: workers,
    roundOf: workers.map(() => 0),
    inFlight: [],
    facts: Object.fromEntries(change.keys.map((key) => [key, NO_FACTS])),
    components: [],
    ...change,
  };
}

/** The outcome of a good node without a gain. */
export function outcomeOf(change: Partial<StrategyOutcome> = {}): StrategyOutcome {
  return { status: 'good', gain: null, node: 'n1', facts: NO_FACTS, isExhausted: false, ...change };
}
