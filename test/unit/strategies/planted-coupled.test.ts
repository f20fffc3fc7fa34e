import { beforeAll, describe, expect, test } from 'vitest';
import { plantedTask } from '../../support/planted.ts';
import { runPlanted, type Made, type PlantedRun } from '../../support/planted-stage.ts';

/** A stage that tunes, with tensor_parallel over four workers, on a task where what gains alone loses together. */

async function stage(seed: number, schedule: 'barrier' | 'async'): Promise<PlantedRun> {
  const tensor = { name: 'tensor_parallel', options: { route: 'target' } };
  const agent = { num_workers: 4, stages: { stage2_max_iters: 400 } };
  const config = { seed, schedule, agent, strategy: { stages: { baseline_tuning: tensor } } };
  return runPlanted({ planted: await plantedTask('coupled'), stage: 'baseline_tuning', config });
}

function metricOf({ node }: Made): number {
  return node.status === 'good' ? node.metric : NaN;
}

/** The merges that are worse than the best node that they unite. */
function lostMerges({ made }: PlantedRun): Made[] {
  return made.filter(({ item, node }) => {
    const parts = (item.target ?? '').split('+');
    const best = Math.max(...made.filter((other) => parts.includes(other.node.id)).map(metricOf));
    return item.operator === 'merge' && node.status === 'good' && node.metric < best;
  });
}

describe.each(['barrier', 'async'] as const)('on coupled, %s, in 100 seeded runs', (schedule) => {
  let runs: PlantedRun[] = [];
  beforeAll(async () => {
    runs = await Promise.all(Array.from({ length: 100 }, (_, seed) => stage(seed, schedule)));
  });

  test('merges are made, and each is worse than the best of its parts', () => {
    const all = runs.flatMap(({ made }) => made.filter(({ item }) => item.operator === 'merge'));
    expect(all.length).toBeGreaterThan(80);
    expect(runs.flatMap(lostMerges)).toHaveLength(all.length);
  });

  test('no plan after such a merge starts from it', () => {
    const followed = runs.flatMap((run) => {
      const lost = lostMerges(run).map(({ node }) => String(node.id));
      return run.given.map(({ item }) => item).filter(({ parent }) => lost.includes(parent ?? ''));
    });
    expect(followed).toEqual([]);
  });

  test('none of them is the best node of the stage, and the search goes on to better ones', () => {
    for (const run of runs) {
      expect(lostMerges(run).map(({ node }) => node.id)).not.toContain(run.best?.id);
      expect(run.best?.metric).toBeGreaterThan(Math.max(...lostMerges(run).map(metricOf), 0));
    }
  });

  test('of one base no two merges unite the same nodes', () => {
    for (const { given } of runs) {
      const ids = given.filter(({ item }) => item.operator === 'merge').map(({ item }) => item.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
