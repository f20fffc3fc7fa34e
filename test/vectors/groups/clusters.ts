import { z } from 'zod';
import { clustersOf, leases } from '../../../src/strategies/clusters/leases.ts';
import {
  nothingLearned,
  observed,
  rankedClusters,
  statsOf,
  withObservation,
  type Learned,
} from '../../../src/strategies/clusters/stats.ts';
import { difficultyWeight, ucbScore } from '../../../src/strategies/clusters/difficulty.ts';
import { PASS_THRESHOLD, RATES, ReferenceClusters } from '../reference/clusters.ts';
import type { Runner } from './runner.ts';
import { SAMPLERS } from './samplers.ts';

const Sequence = z.object({
  c: z.number(),
  pass_threshold: z.number().nullable(),
  cluster_of: z.record(z.string(), z.string()),
  steps: z.array(
    z.discriminatedUnion('op', [
      z.object({ op: z.literal('plan'), n_workers: z.number(), keys: z.array(z.string()) }),
      z.object({ op: z.literal('observe'), task_id: z.string(), score: z.number() }),
    ]),
  ),
});
const ClosedLoop = z.object({
  c: z.number(),
  cluster_of: z.record(z.string(), z.string()),
  keys: z.array(z.string()),
  n_workers: z.number(),
  rounds: z.number(),
  reward_by_cluster_cycled_by_round: z.record(z.string(), z.array(z.number())),
});
const Grid = z.object({
  rows: z.array(z.object({ value: z.number(), n: z.number(), total: z.number(), c: z.number() })),
});
/** JSON has no way to write not-a-number. */
const Rate = z.union([z.number(), z.literal('NaN').transform(() => Number.NaN)]);
const Weights = z.object({ pass_rates: z.array(Rate), floor: z.number() });
/** What is done is said in words only. */
const Scheduler = z.object({ clusters: z.array(z.string()), c: z.number() });

function sequence({ c, pass_threshold: threshold, cluster_of: clusterOf, steps }: z.infer<typeof Sequence>): object {
  const reference = new ReferenceClusters(clusterOf, c, threshold ?? PASS_THRESHOLD);
  return {
    steps: steps.map((step) => {
      if (step.op === 'plan') {
        const { ranking, ...planned } = reference.plan(step.n_workers, step.keys);
        const rows = ranking.map(({ cluster, value, weight, score }) => ({ cluster, value, weight, score }));
        return { op: step.op, ...planned, ranking: rows };
      }
      reference.observe(step.task_id, step.score);
      return { op: step.op, state: reference.state() };
    }),
  };
}

function closedLoop({ c, cluster_of: clusterOf, keys, n_workers: nWorkers, ...input }: z.infer<typeof ClosedLoop>): object {
  const reference = new ReferenceClusters(clusterOf, c, PASS_THRESHOLD);
  const rounds = Array.from({ length: input.rounds }, (_, round) => {
    const { units, leased } = reference.plan(nWorkers, keys);
    return units.map(({ worker, keys: whole }) => {
      const cluster = leased[worker] ?? '';
      const task = whole[round % whole.length] ?? '';
      const rewards = input.reward_by_cluster_cycled_by_round[cluster] ?? [];
      const reward = rewards[round % rewards.length] ?? Number.NaN;
      reference.observe(task, reward);
      return [worker, cluster, task, reward] as const;
    });
  });
  const leased = rounds.flat().map(([, cluster]) => cluster);
  const counts = [...new Set(leased)].map((name) => [name, leased.filter((other) => other === name).length]);
  return { rounds, leases_per_cluster: Object.fromEntries(counts), final: reference.state() };
}

/** Five leases in turn, one result of each cluster, six leases more, and three of the best one. */
function scheduler({ clusters: names, c }: z.infer<typeof Scheduler>): object {
  const clusters = clustersOf(names, (name) => name);
  const results = [
    ['a', { value: 1, passed: false }],
    ['b', { value: 0, passed: true }],
    ['c', { value: 0.5, passed: false }],
  ] as const;
  const learned = results.reduce(
    (before, [name, seen]) => withObservation(before, observed(statsOf(before, name), seen, RATES)),
    nothingLearned(),
  );
  const leased = (from: Learned, count: number): (string | undefined)[] => {
    const ranking = rankedClusters(clusters, from, { c, inFlight: [] });
    const places = leases(
      ranking.map(() => Number.POSITIVE_INFINITY),
      count,
    );
    return places.map((place) => ranking[place ?? -1]?.cluster);
  };
  return {
    first: leased(nothingLearned(), 5),
    second: leased(learned, 5 + 6).slice(5),
    lease_one: Array.from({ length: 3 }, () => leased(learned, 1)).flat(),
  };
}

/** Clusters and the choice of the next task. */
export const CLUSTERS: Readonly<Record<string, Runner>> = {
  difficulty_weight: (input) => {
    const { pass_rates: rates, floor } = Weights.parse(input);
    return rates.map((rate) => difficultyWeight(rate, floor));
  },
  ucb_score: (input) => Grid.parse(input).rows.map(({ n, ...row }) => ucbScore({ ...row, trials: n })),
  ClusterParallel: (input) =>
    Sequence.safeParse(input).success ? sequence(Sequence.parse(input)) : closedLoop(ClosedLoop.parse(input)),
  TaskScheduler: (input) => scheduler(Scheduler.parse(input)),
  ...SAMPLERS,
};
