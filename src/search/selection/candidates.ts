import type { NodeId } from '../../domain/ids.ts';
import { isBetter } from '../../domain/metric.ts';

/** What the rules of selection choose from. They are pure, and know nothing of stages, plans or items. */

/** A node that could be expanded next. Lists of them are in the order in which the nodes came, parents first. */
export interface Candidate {
  readonly id: NodeId;
  /** Higher is better; `null` for one that was not measured. */
  readonly score: number | null;
  /** Expansions of it and of what descends from it. */
  readonly visits: number;
  /** The candidate that it descends from; `null` for a root. */
  readonly parent: NodeId | null;
}

/** How many are chosen, and how many rounds were chosen before, which is where a walk over a list begins. */
export interface Walk {
  readonly n: number;
  readonly round: number;
}

/** The candidate with the highest score, of equals the earlier one; `undefined` for an empty list. */
export function bestOf<T extends Candidate>(candidates: readonly T[]): T | undefined {
  return candidates.reduce<T | undefined>(
    (best, candidate) => (best === undefined || isBetter('maximize', candidate.score, best.score) ? candidate : best),
    undefined,
  );
}

/** `n` of a list in turn, from the place that the round says; none of an empty one. */
export function walked<T>(list: readonly T[], { n, round }: Walk): T[] {
  return Array.from({ length: n }, (_, at) => list[(round + at) % list.length]).filter((entry) => entry !== undefined);
}

/** The place in a list that a draw of at least 0 and below 1 falls on, when each has its weight; 0 when all weigh nothing. */
export function weightedPlace(weights: readonly number[], draw: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = draw * total;
  const place = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return Math.max(0, place);
}
