import { z } from 'zod';
import type { Cluster } from './leases.ts';
import { difficultyWeight, ucbScore } from './difficulty.ts';

/**
 * What is known of clusters of items: how much each has to give, how often it passes, and how often it was looked at.
 * Pure reducers; the semantics are those of agentdescent's ClusterParallel.
 *
 * C1 At most `MAX_CLUSTERS` clusters and `MAX_GAINS` gains are kept; the cluster longest neither offered nor observed
 *    is forgotten first.
 * C2 A cluster that was forgotten is as one that was never seen.
 */

const MAX_CLUSTERS = 64;
const MAX_GAINS = 64;

/** A number of [0, 1]. */
const Share = z.number().min(0).max(1);

/** What is known of a cluster. */
export const ClusterStats = z.strictObject({
  cluster: z.string(),
  /** Moving average of what it gave. */
  value: Share,
  /** Observations. */
  evidence: z.number().int().min(0),
  /** Moving average of how often it passed. */
  passRate: Share,
});
export type ClusterStats = z.infer<typeof ClusterStats>;

/** What is known of all clusters. */
export const Learned = z.strictObject({
  /** Plans made. */
  plans: z.number().int().min(0),
  /** What the list of items of the last plan hashes to; `null` where statistics outlive a change of it. */
  list: z.number().int().nullable(),
  /** Least recently seen first. */
  clusters: z.array(ClusterStats).max(MAX_CLUSTERS),
  /** The last gains, oldest first, each above 0: the scale on which the next one is judged. */
  gains: z.array(z.number().positive()).max(MAX_GAINS),
});
export type Learned = z.infer<typeof Learned>;

/** How far one observation moves the averages, each in [0, 1]. */
export interface Rates {
  readonly value: number;
  readonly passes: number;
}

/** What one item of a cluster gave, in [0, 1], and whether it passed. */
export interface Observation {
  readonly value: number;
  readonly passed: boolean;
}

/** A cluster with its score. */
export interface RankedCluster extends Cluster {
  /** Its value times its weight. */
  readonly value: number;
  readonly weight: number;
  /** Upper confidence bound; infinite for one that was never seen. */
  readonly score: number;
}

/** Nothing is known. */
export function nothingLearned(): Learned {
  return { plans: 0, list: null, clusters: [], gains: [] };
}

/** What is known of a cluster; a prior of one half for one that was never seen. */
export function statsOf({ clusters }: Learned, cluster: string): ClusterStats {
  return clusters.find((stats) => stats.cluster === cluster) ?? { cluster, value: 0.5, evidence: 0, passRate: 0.5 };
}

/** After one more observation of a cluster. */
export function observed(stats: ClusterStats, { value, passed }: Observation, rates: Rates): ClusterStats {
  return {
    cluster: stats.cluster,
    value: moved(stats.value, value, rates.value),
    evidence: stats.evidence + 1,
    passRate: moved(stats.passRate, passed ? 1 : 0, rates.passes),
  };
}

/** After an observation of a cluster, which is then the most recently seen (C1). */
export function withObservation(learned: Learned, stats: ClusterStats): Learned {
  const others = learned.clusters.filter(({ cluster }) => cluster !== stats.cluster);
  return { ...learned, clusters: [...others, stats].slice(-MAX_CLUSTERS) };
}

/**
 * After one more plan, over these clusters. A `list` other than that of the last plan forgets all; `null` for never.
 */
export function withPlan(learned: Learned, { clusters, list }: { clusters: readonly string[]; list: number | null }): Learned {
  const kept = list === null || list === learned.list ? learned : nothingLearned();
  const isOffered = ({ cluster }: ClusterStats): boolean => clusters.includes(cluster);
  return {
    plans: kept.plans + 1,
    list,
    clusters: [...kept.clusters.filter((stats) => !isOffered(stats)), ...kept.clusters.filter(isOffered)],
    gains: kept.gains,
  };
}

/**
 * After one more gain, which is above 0, and where it lies among the last ones, itself included: near 0 the least, near
 * 1 the greatest, equal ones share a place.
 */
export function withGain(learned: Learned, gain: number): { learned: Learned; place: number } {
  // JSON has no infinity.
  const last = Math.min(Number.MAX_VALUE, gain);
  const gains = [...learned.gains, last].slice(-MAX_GAINS);
  const worse = gains.filter((other) => other < last).length;
  const notBetter = gains.filter((other) => other <= last).length;
  return { learned: { ...learned, gains }, place: (worse + notBetter) / 2 / gains.length };
}

/** What the ranking goes by beside what is known. */
export interface Ranking {
  readonly c: number;
  /** The cluster of each item in flight; each counts as evidence that has not come yet (virtual loss). */
  readonly inFlight: readonly string[];
}

/** The clusters with their scores, best first; of equal ones the first given. */
export function rankedClusters(clusters: readonly Cluster[], learned: Learned, { c, inFlight }: Ranking): RankedCluster[] {
  const scored = clusters.map(({ cluster, keys }): RankedCluster => {
    const { value, evidence, passRate } = statsOf(learned, cluster);
    const weight = difficultyWeight(passRate);
    const trials = evidence + inFlight.filter((busy) => busy === cluster).length;
    const worth = value * weight;
    return { cluster, keys, value: worth, weight, score: ucbScore({ value: worth, trials, total: learned.plans, c }) };
  });
  // Infinities are equal: their difference would be no number.
  return scored.toSorted((a, b) => (a.score > b.score ? -1 : a.score < b.score ? 1 : 0));
}

function moved(average: number, towards: number, rate: number): number {
  return (1 - rate) * average + rate * towards;
}
