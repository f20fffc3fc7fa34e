import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contradictions } from '../../../src/domain/edits.ts';
import type { Experiment, ParameterValue } from '../../../src/domain/experiment.ts';
import { fusedOf, fusionOf, rankFusion, resolveConflicts, type Candidate } from '../../vectors/reference/fusion.ts';

const base: Experiment = { v: 1, parameters: {}, files: {} };

function candidate(id: string, parameters: Record<string, ParameterValue>): Candidate {
  return { id, edit: { parameters, files: {} }, isBreaking: false };
}

/** Scores an experiment by the sum of its numbers. */
function sum({ parameters }: Experiment): number {
  return Object.values(parameters).reduce<number>((total, value) => total + Number(value), 0);
}

const candidates: fc.Arbitrary<Candidate[]> = fc
  .array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 3 })), { maxLength: 6 })
  .map((edits) => edits.map((parameters, at) => candidate(`e${at}`, parameters)));

describe('conflicts are resolved', () => {
  test('so that none is left, and each candidate is kept or dropped by one comparison', () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const { kept, dropped } = resolveConflicts(base, all, sum);
        expect(kept.length + dropped).toBe(all.length);
        expect(all).toEqual(expect.arrayContaining([...kept]));
        for (const [at, one] of kept.entries())
          for (const other of kept.slice(at + 1)) expect(contradictions(one.edit, other.edit)).toEqual([]);
      }),
    );
  });

  test('for the newcomer only when it is strictly better; a score that is no number never is', () => {
    const two = [candidate('old', { a: 1 }), candidate('new', { a: 2 })];
    const kept = (score: (experiment: Experiment) => number) => resolveConflicts(base, two, score).kept.map(({ id }) => id);
    expect(kept(sum)).toEqual(['new']);
    expect(kept(() => 1)).toEqual(['old']);
    expect(kept(({ parameters }) => (parameters['a'] === 2 ? Number.NaN : 0))).toEqual(['old']);
  });
});

describe('a union', () => {
  test('is named after its candidates in the order of code points, and breaks if one does', () => {
    const names = ['\u{10000}', '￰', 'b', 'ab', 'a'];
    const fused = fusedOf(names.map((name, at) => ({ ...candidate(name, {}), isBreaking: at === 3 })));
    expect([fused.id, fused.isBreaking]).toEqual(['fused(a+ab+b+￰+\u{10000})', true]);
  });

  test('goes forward only where it is something new', () => {
    const [a, b] = [candidate('a', { x: 1 }), candidate('b', { y: 2 })];
    expect(fusionOf([a, b])).toMatchObject({ chosen: { id: 'fused(a+b)' }, reason: null });
    expect(fusionOf([a])).toEqual({ chosen: a, reason: 'single_candidate' });
    expect(fusionOf([a, b, candidate('c', { y: 3 })])).toEqual({ chosen: a, reason: 'contradiction' });
    expect(fusionOf([a, candidate('ab', { x: 1, y: 2 })])).toEqual({ chosen: a, reason: 'nothing_to_fuse' });
  });

  test('wins a comparison only when it is better than each alone and the base', () => {
    const two = [candidate('a', { x: 1 }), candidate('b', { y: 2 })] as const;
    expect(rankFusion(base, two, sum)).toMatchObject({ chosen: { id: 'fused(a+b)' }, winner: 'fused', fused: 3, bestSingle: 2 });
    expect(rankFusion(base, two, (state) => Math.min(2, sum(state)))).toMatchObject({ chosen: { id: 'b' }, winner: 'single' });
    expect(rankFusion(base, two, (state) => -sum(state))).toMatchObject({ chosen: { id: 'a' }, winner: 'neither', baseline: -0 });
  });

  test('that there is none of is not scored', () => {
    const two = [candidate('a', { x: 1 }), candidate('b', { x: 2 })] as const;
    expect(rankFusion(base, two, sum)).toMatchObject({ chosen: { id: 'b' }, winner: 'single', fused: null });
  });
});
