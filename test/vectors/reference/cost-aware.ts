import type { NodeId } from '../../../src/domain/ids.ts';
import type { Candidate } from '../../../src/search/selection/candidates.ts';
import { puct } from '../../../src/search/selection/puct.ts';

/** A candidate and what an expansion of it costs, in any unit; `null` where that is unknown, which counts as usual. */
export interface CostedCandidate extends Candidate {
  readonly cost: number | null;
}

/** How cost is weighed. */
export interface CostOptions {
  readonly n: number;
  readonly c: number;
  /** How much cost matters; 0 = not at all. */
  readonly exponent: number;
  /** The share of the budget that is left, by which exploration is cut; 1 to explore to the end as at the start. */
  readonly remaining: number;
}

/** PUCT that explores what is cheap: exploration divided by the cost relative to the mean one, times what is left. */
export function costAware(candidates: readonly CostedCandidate[], { n, c, exponent, remaining }: CostOptions): NodeId[] {
  const known = candidates.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const mean = known.reduce((sum, cost) => sum + cost, 0) / known.length;
  const factors = new Map(
    candidates.map(({ id, cost }) => [id, cost === null || mean <= 0 ? 1 : Math.max(cost / mean, 1e-9) ** -exponent]),
  );
  return puct(candidates, { n, c: c * remaining, explorationOf: ({ id }) => factors.get(id) ?? 1 });
}
