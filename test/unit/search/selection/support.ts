import fc from 'fast-check';
import { nodeId } from '../../../../src/domain/ids.ts';
import type { Candidate } from '../../../../src/search/selection/candidates.ts';

/** A candidate for tests, a root unless a parent is named. */
export function candidate(id: number, score: number | null, visits = 0, parent: number | null = null): Candidate {
  return { id: nodeId(id), score, visits, parent: parent === null ? null : nodeId(parent) };
}

/** Candidates of one tree, with scores from 0 to 1. */
export const candidates: fc.Arbitrary<Candidate[]> = fc
  .array(
    fc.record({ score: fc.double({ min: 0, max: 1, noNaN: true }), visits: fc.nat(9), from: fc.nat(100), isRoot: fc.boolean() }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drawn) =>
    drawn.map(({ score, visits, from, isRoot }, at) =>
      candidate(at + 1, score, visits, at === 0 || isRoot ? null : 1 + (from % at)),
    ),
  );
