import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../../src/domain/ids.ts';
import { randomStream } from '../../../../src/domain/random.ts';
import { noveltyWeights } from '../../../../src/search/selection/archive.ts';
import { weightedPlace } from '../../../../src/search/selection/candidates.ts';
import { cladeCounts, thompson } from '../../../../src/search/selection/clades.ts';
import { pareto, paretoFront, winFrequency } from '../../../../src/search/selection/pareto.ts';
import { candidate, candidates } from './support.ts';

describe('the Pareto front', () => {
  const rows = fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 10 });

  test('leaves out exactly what another is better than', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const front = paretoFront(list);
        for (const [place, row] of list.entries()) {
          const isWorse = (other: readonly number[]): boolean =>
            other.every((value, at) => value >= (row[at] ?? 0)) && JSON.stringify(other) !== JSON.stringify(row);
          expect(front.includes(place)).toBe(!list.some(isWorse));
        }
      }),
    );
  });

  test('has the best of every task', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const wins = winFrequency(list);
        for (const task of [0, 1, 2]) {
          const most = Math.max(...list.map((row) => row[task] ?? -1));
          expect([...wins.keys()].some((place) => list[place]?.[task] === most)).toBe(true);
        }
      }),
    );
  });

  test('is walked from the one that is best on most tasks', () => {
    const list = [
      { id: nodeId(1), scores: { a: 0.5, b: 0.5, c: 0.5 } },
      { id: nodeId(2), scores: { a: 1, b: 0, c: 0.2 } },
      { id: nodeId(3), scores: { a: 0.9, b: 0.9, c: 0.9 } },
      { id: nodeId(4), scores: { a: 0.1 } },
    ];
    expect(pareto(list, { n: 3, round: 0 })).toEqual(['n3', 'n2', 'n3']);
    expect(pareto(list, { n: 1, round: 1 })).toEqual(['n2']);
  });

  test('of no scores is refused', () => {
    expect(() => pareto([{ id: nodeId(1), scores: {} }], { n: 1, round: 0 })).toThrow(
      expect.objectContaining({ type: 'ConfigInvalid' }),
    );
  });
});

describe('the weights of an archive', () => {
  test('are shares that favour score and few children', () => {
    fc.assert(
      fc.property(candidates, (list) => {
        const weights = noveltyWeights(list.map(({ score, visits }) => ({ score: score ?? 0, children: visits })));
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
        expect(Math.min(...weights)).toBeGreaterThan(0);
      }),
    );
    const [plain = 0, better = 0, known = 0] = noveltyWeights([
      { score: 0.5, children: 0 },
      { score: 0.6, children: 0 },
      { score: 0.5, children: 1 },
    ]);
    expect(better).toBeGreaterThan(plain);
    expect(plain / known).toBeCloseTo(2, 12);
  });

  test('decide which place a draw falls on', () => {
    const places = [0, 0.24, 0.26, 0.74, 0.76, 0.999].map((draw) => weightedPlace([1, 2, 0, 1], draw));
    expect(places).toEqual([0, 0, 1, 1, 3, 3]);
    expect(weightedPlace([0, 0], 0.5)).toBe(0);
  });
});

describe('clades', () => {
  test('count a candidate and all that descends from it', () => {
    const list = [candidate(1, 0.25), candidate(2, 0.5, 0, 1), candidate(3, 1, 0, 2), candidate(4, null, 0, 2)];
    expect(cladeCounts(list)).toEqual([
      { successes: 1.75, failures: 1.25 },
      { successes: 1.5, failures: 0.5 },
      { successes: 1, failures: 0 },
      { successes: 0, failures: 0 },
    ]);
  });

  test('lose and double nothing', () => {
    fc.assert(
      fc.property(candidates, (list) => {
        const counts = cladeCounts(list);
        const roots = counts.filter((_, place) => list[place]?.parent === null);
        const known = roots.reduce((sum, { successes, failures }) => sum + successes + failures, 0);
        expect(known).toBeCloseTo(list.length, 9);
      }),
    );
  });

  test('are drawn by what came of them, and the same for the same stream', () => {
    const [good, bad] = [nodeId(1), nodeId(2)];
    const list = [candidate(1, 0.9), candidate(2, 0.1), candidate(3, 0.9, 0, 1), candidate(4, 0.1, 0, 2)];
    const drawn = Array.from({ length: 400 }, (_, seed) => thompson(list, randomStream(seed, 'clades')));
    expect(drawn).toEqual(Array.from({ length: 400 }, (_, seed) => thompson(list, randomStream(seed, 'clades'))));
    const times = (id: string): number => drawn.filter((node) => node === id).length;
    expect(times(good)).toBeGreaterThan(3 * times(bad));
    expect(times(bad)).toBeGreaterThan(0);
    expect(thompson([], randomStream(1, 'clades'))).toBeUndefined();
  });

  test('are drawn by their Beta distributions: one success against one failure wins five times of six', () => {
    const list = [candidate(1, 1), candidate(2, 0)];
    const drawn = Array.from({ length: 4000 }, (_, seed) => thompson(list, randomStream(seed, 'beta')));
    expect(drawn.filter((node) => node === nodeId(1)).length / 4000).toBeCloseTo(5 / 6, 1.5);
  });

  test('that are alike are drawn alike', () => {
    const list = [candidate(1, 0.5), candidate(2, 0.5)];
    const drawn = Array.from({ length: 1000 }, (_, seed) => thompson(list, randomStream(seed, 'alike')));
    const first = drawn.filter((node) => node === nodeId(1)).length;
    expect(Math.abs(first - 500)).toBeLessThan(80);
  });
});
