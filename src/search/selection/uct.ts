import type { NodeId } from '../../domain/ids.ts';
import { compareValues } from '../../domain/metric.ts';
import { walked, type Candidate } from './candidates.ts';

/**
 * UCT over all candidates: those that were never visited first, then by `score + c * sqrt(ln(total visits) /
 * visits)`; of equals the one with the higher score, then the earlier one. `n` different candidates, and all of
 * them again in the same order where there are fewer. Scores should lie between 0 and 1. O(N log N).
 */
export function uct(candidates: readonly Candidate[], { n, c }: { readonly n: number; readonly c: number }): NodeId[] {
  const total = candidates.reduce((sum, { visits }) => sum + visits, 0);
  const valueOf = ({ score, visits }: Candidate): number =>
    visits === 0 ? Infinity : (score ?? 0) + c * Math.sqrt(Math.log(total) / visits);
  const ordered = candidates
    .map((candidate) => ({ ...candidate, value: valueOf(candidate) }))
    .sort((a, b) => compareValues('maximize', a.value, b.value) || compareValues('maximize', a.score, b.score));
  return walked(ordered, { n, round: 0 }).map(({ id }) => id);
}
