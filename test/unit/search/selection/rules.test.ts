import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeId, nodeNumber } from '../../../../src/domain/ids.ts';
import { beam } from '../../../../src/search/selection/beam.ts';
import { bestOf, walked, type Candidate } from '../../../../src/search/selection/candidates.ts';
import { costAware } from '../../../vectors/reference/cost-aware.ts';
import { puct } from '../../../../src/search/selection/puct.ts';
import { uct } from '../../../../src/search/selection/uct.ts';
import { candidate, candidates } from './support.ts';

const chosen = (ids: readonly string[]): number[] => ids.map(nodeNumber);
const few = fc.integer({ min: 1, max: 8 });
const byScore = (list: readonly Candidate[]): number[] => list.map(({ score }) => score ?? -1).toSorted((a, b) => b - a);
const scoreOf = (list: readonly Candidate[], id: string | undefined): number =>
  list.find((entry) => entry.id === id)?.score ?? Number.NaN;

describe('puct', () => {
  test('goes by rank alone where exploration weighs nothing; of equals the later one', () => {
    const list = [candidate(1, 0.2, 5), candidate(2, 0.7, 9, 1), candidate(3, 0.7, 0, 1), candidate(4, null)];
    expect(chosen(puct(list, { n: 3, c: 0 }))).toEqual([3, 3, 3]);
  });

  test('prefers what was visited less where exploration weighs a lot', () => {
    const list = [candidate(1, 0.1, 0), candidate(2, 0.2, 50), candidate(3, 0.9, 100)];
    expect(chosen(puct(list, { n: 1, c: 100 }))).toEqual([1]);
  });

  test('turns to the worse of two where c / 2 * sqrt(3) * (1 - 1 / 4) exceeds the distance of their ranks', () => {
    const list = [candidate(1, 0.1, 0), candidate(2, 0.9, 3)];
    expect(chosen(puct(list, { n: 1, c: 1.53 }))).toEqual([2]);
    expect(chosen(puct(list, { n: 1, c: 1.55 }))).toEqual([1]);
  });

  test('counts a choice as a visit of it and of its ancestors before the next', () => {
    const list = [candidate(1, 0.1, 1), candidate(2, 0.2, 1, 1), candidate(3, 0.3, 1)];
    expect(chosen(puct(list, { n: 3, c: 100 }))).toEqual([3, 2, 3]);
    const below = [candidate(1, 0.4, 1), candidate(2, 0.5, 1, 1), candidate(3, 0.1, 1)];
    expect(chosen(puct(below, { n: 2, c: 100 }))).toEqual([2, 3]);
  });

  test('with one candidate, or none', () => {
    expect(chosen(puct([candidate(7, 0.5)], { n: 2, c: 1 }))).toEqual([7, 7]);
    expect(puct([], { n: 2, c: 1 })).toEqual([]);
  });

  test('chooses the same first, however many, and only what is there', () => {
    fc.assert(
      fc.property(candidates, few, few, fc.double({ min: 0, max: 10, noNaN: true }), (list, one, other, c) => {
        const many = puct(list, { n: one + other, c });
        expect(puct(list, { n: one, c })).toEqual(many.slice(0, one));
        expect(many).toHaveLength(one + other);
        expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining(many));
      }),
    );
  });
});

describe('uct', () => {
  test('takes what was never visited first, the better of them before the others', () => {
    expect(chosen(uct([candidate(1, 0.9, 1), candidate(2, 0.1), candidate(3, 0.2)], { n: 3, c: 1.4 }))).toEqual([3, 2, 1]);
  });

  test('weighs score against visits', () => {
    const list = [candidate(1, 0.2, 5), candidate(2, 0.5, 3), candidate(3, 0.4, 1)];
    expect(chosen(uct(list, { n: 1, c: 0 }))).toEqual([2]);
    expect(chosen(uct(list, { n: 1, c: 1.4 }))).toEqual([3]);
  });

  test('chooses different ones as long as there are any', () => {
    fc.assert(
      fc.property(candidates, few, (list, n) => {
        const ids = uct(list, { n, c: 1.4 });
        expect(ids).toHaveLength(n);
        expect(new Set(ids).size).toBe(Math.min(n, list.length));
      }),
    );
  });
});

describe('a beam', () => {
  test('is the best few in turn, from the place of the round', () => {
    const list = [candidate(1, 0.2), candidate(2, 0.9), candidate(3, 0.5)];
    expect(chosen(beam(list, { n: 3, round: 0, width: 2 }))).toEqual([2, 3, 2]);
    expect(chosen(beam(list, { n: 3, round: 1, width: 2 }))).toEqual([3, 2, 3]);
  });

  test('measures what was not measured first', () => {
    expect(chosen(beam([candidate(1, 0.2), candidate(2, null)], { n: 1, round: 4, width: 1 }))).toEqual([2]);
  });

  test('holds nothing that is worse than what it leaves out', () => {
    fc.assert(
      fc.property(candidates, few, (list, width) => {
        const ids = beam(list, { n: list.length, round: 0, width });
        const worst = Math.min(...ids.map((id) => scoreOf(list, id)));
        expect(worst).toBe(byScore(list)[Math.min(width, list.length) - 1]);
      }),
    );
  });

  test.each([0, -1, 1.5])('is not %d wide', (width) => {
    const refused = (): unknown => beam([], { n: 1, round: 0, width });
    expect(refused).toThrow(expect.objectContaining({ type: 'ConfigInvalid' }));
  });
});

describe('cost', () => {
  const list = [
    { ...candidate(1, 0.2, 2), cost: 100 },
    { ...candidate(2, 0.5, 2), cost: 1000 },
    { ...candidate(3, 0.3, 2), cost: 10 },
  ];

  test('makes what is cheap worth exploring, until nothing is left', () => {
    expect(chosen(costAware(list, { n: 2, c: 3, exponent: 1, remaining: 1 }))).toEqual([3, 3]);
    expect(chosen(costAware(list, { n: 2, c: 3, exponent: 1, remaining: 0 }))).toEqual([2, 2]);
  });

  test('that is unknown, or nothing, changes nothing', () => {
    for (const cost of [null, 0]) {
      const costless = list.map((entry) => ({ ...entry, cost }));
      expect(costAware(costless, { n: 4, c: 3, exponent: 1, remaining: 1 })).toEqual(puct(costless, { n: 4, c: 3 }));
    }
  });
});

describe('a walk', () => {
  test('goes round the list', () => {
    expect(walked(['a', 'b', 'c'], { n: 4, round: 5 })).toEqual(['c', 'a', 'b', 'c']);
    expect(walked([], { n: 4, round: 5 })).toEqual([]);
  });
});

describe('the best', () => {
  test('is the first with the highest score; one without a score only where there is no other', () => {
    expect(bestOf([candidate(1, null), candidate(2, 0.5), candidate(3, 0.5)])?.id).toBe(nodeId(2));
    expect(bestOf([candidate(1, null)])?.id).toBe(nodeId(1));
    expect(bestOf<Candidate>([])).toBeUndefined();
  });
});
