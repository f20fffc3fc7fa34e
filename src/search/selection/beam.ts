import { PlatformFailure } from '../../domain/failure.ts';
import type { NodeId } from '../../domain/ids.ts';
import { compareValues } from '../../domain/metric.ts';
import { walked, type Candidate, type Walk } from './candidates.ts';

/**
 * The best candidates, `width` of them, in turn: those without a score first, then by score, of equals the earlier
 * one first. O(N log N).
 *
 * @throws PlatformFailure `ConfigInvalid` for a width that is no whole number of at least 1
 */
export function beam(candidates: readonly Candidate[], { width, ...walk }: Walk & { readonly width: number }): NodeId[] {
  if (!Number.isInteger(width) || width < 1)
    throw new PlatformFailure('ConfigInvalid', `a beam is not ${width} wide`, 'Use a whole number of at least 1.');
  const measureFirst = (a: Candidate, b: Candidate): number => Number(b.score === null) - Number(a.score === null);
  const ordered = candidates.toSorted((a, b) => measureFirst(a, b) || compareValues('maximize', a.score, b.score));
  return walked(ordered.slice(0, width), walk).map(({ id }) => id);
}
