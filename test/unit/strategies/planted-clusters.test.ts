import { beforeAll, describe, expect, test } from 'vitest';
import { plantedTask } from '../../support/planted.ts';
import { runPlanted, type PlantedRun } from '../../support/planted-stage.ts';

/**
 * Thirty rounds of two workers over five families, of which two are hopeless, one is solved, and two are live but begin
 * as the worst. The backlog is the real policy's, which offers the best node of every family. The family of a program
 * stays what its draft was, so that what a family gives is not won by leaving it.
 */

const FAMILIES = ['granite', 'basalt', 'amber', 'clay', 'loam'];
const [ROUNDS, WORKERS] = [30, 2];
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

async function stage(name: string, seed: number, schedule: 'barrier' | 'async'): Promise<PlantedRun> {
  const agent = {
    num_workers: WORKERS,
    search: { num_drafts: FAMILIES.length },
    stages: { stage1_max_iters: FAMILIES.length + ROUNDS * WORKERS },
  };
  const config = { seed, schedule, agent, search: { good_nodes: 1000 }, strategy: { name } };
  return runPlanted({ planted: await plantedTask('clusters'), stage: 'initial_implementation', config, kept: ['family'] });
}

/** Improvements given out in each family. */
function items({ given }: PlantedRun): Readonly<Record<string, number>> {
  const improved = given.filter(({ item }) => item.operator === 'improve');
  return Object.fromEntries(FAMILIES.map((name) => [name, improved.filter(({ family }) => family === name).length]));
}

function mean(counts: Readonly<Record<string, number>>, families: readonly string[]): number {
  return families.reduce((sum, family) => sum + (counts[family] ?? 0), 0) / families.length;
}

describe.each(['barrier', 'async'] as const)('with cluster_parallel by family, %s', (schedule) => {
  let runs: PlantedRun[] = [];
  beforeAll(async () => {
    runs = await Promise.all(SEEDS.map((seed) => stage('cluster_parallel', seed, schedule)));
  });

  test('a hopeless or solved family gets a smaller share of the items than a live one, in each of 20 seeded runs', () => {
    for (const counts of runs.map(items)) {
      expect(FAMILIES.reduce((sum, family) => sum + (counts[family] ?? 0), 0)).toBe(ROUNDS * WORKERS);
      const live = mean(counts, ['clay', 'loam']);
      for (const dead of [['granite', 'basalt'], ['amber']]) expect(mean(counts, dead)).toBeLessThan(live);
    }
  });

  test('no family is given up altogether', () => {
    expect(
      runs
        .map(items)
        .flatMap((counts) => Object.values(counts))
        .every((count) => count > 0),
    ).toBe(true);
  });

  test('a live family, which began as the worst, is the best in the end of at least 18 of them', () => {
    expect(runs.filter(({ best }) => (best?.metric ?? 0) > 120).length).toBeGreaterThanOrEqual(18);
  });
});

test('without clusters the live families get nothing, for they begin as the worst', async () => {
  const runs = await Promise.all(SEEDS.map((seed) => stage('data_parallel', seed, 'barrier')));
  expect(runs.map((run) => mean(items(run), ['clay', 'loam']))).toEqual(runs.map(() => 0));
});
