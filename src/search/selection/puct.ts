import type { NodeId } from '../../domain/ids.ts';
import { compareValues } from '../../domain/metric.ts';
import type { Candidate } from './candidates.ts';

/** How PUCT weighs. */
export interface PuctOptions {
  /** How many are chosen; one may be chosen again. */
  readonly n: number;
  /** Weight of exploration; 0 = by rank alone. */
  readonly c: number;
  /** Factor of a candidate's exploration. */
  readonly explorationOf?: (candidate: Candidate) => number;
}

/**
 * Flat PUCT over all candidates, wherever in the tree they are: `rank / (N - 1) + c / N * sqrt(total visits) /
 * (1 + visits)`, rank 0 for the worst, those without a score below all others, and of equals the later one above.
 * Each choice counts as a visit of the chosen one and its ancestors before the next is made (virtual loss), so
 * that parallel expansions spread. O(N log N), and O(N) more for each choice.
 */
export function puct(candidates: readonly Candidate[], { n, c, explorationOf = () => 1 }: PuctOptions): NodeId[] {
  const standings = standingsOf(candidates);
  const visits = new Map(candidates.map((candidate) => [candidate.id, candidate.visits]));
  const parents = new Map(candidates.map(({ id, parent }) => [id, parent]));
  return Array.from({ length: n }, () => {
    const reach = (c / candidates.length) * Math.sqrt(sum(visits.values()));
    const valueOf = (candidate: Candidate, place: number): number =>
      (standings[place] ?? 0) + (reach * explorationOf(candidate)) / (1 + (visits.get(candidate.id) ?? 0));
    const chosen = highest(candidates, valueOf);
    reserve(visits, parents, chosen);
    return chosen === undefined ? [] : [chosen];
  }).flat();
}

/** The rank of each candidate as a number from 0, the worst, to 1, the best. */
function standingsOf(candidates: readonly Candidate[]): number[] {
  const scores = candidates.map(({ score }) => score);
  const worstFirst = scores
    .map((_, place) => place)
    .sort((a, b) => compareValues('maximize', scores[b] ?? null, scores[a] ?? null) || a - b);
  const standings = scores.map(() => 0);
  for (const [rank, place] of worstFirst.entries()) standings[place] = rank / Math.max(1, scores.length - 1);
  return standings;
}

/** The candidate with the highest value, of equals the earlier one. */
function highest(candidates: readonly Candidate[], valueOf: (candidate: Candidate, place: number) => number): NodeId | undefined {
  let [best, most] = [candidates[0], -Infinity];
  for (const [place, candidate] of candidates.entries()) {
    const value = valueOf(candidate, place);
    if (value > most) [best, most] = [candidate, value];
  }
  return best?.id;
}

function reserve(visits: Map<NodeId, number>, parents: ReadonlyMap<NodeId, NodeId | null>, chosen: NodeId | undefined): void {
  for (let id: NodeId | null | undefined = chosen; id !== null && id !== undefined; id = parents.get(id)) {
    const before = visits.get(id);
    if (before !== undefined) visits.set(id, before + 1);
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
