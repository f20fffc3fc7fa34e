import { hash32 } from '../../../src/domain/random.ts';
import { clustersOf, leases, type Cluster } from '../../../src/strategies/clusters/leases.ts';
import {
  nothingLearned,
  observed,
  rankedClusters,
  statsOf,
  withObservation,
  withPlan,
  type Learned,
  type RankedCluster,
} from '../../../src/strategies/clusters/stats.ts';
import type { WorkUnit } from '../../../src/strategies/strategy.ts';

/** How far one result moves the averages of its cluster. */
export const RATES = { value: 0.2, passes: 0.1 };

/** The score from which a task counts as passed. */
export const PASS_THRESHOLD = 0.999;

/** The reference's way of clusters: whole clusters to workers, nothing in flight, and 1 - score as what is observed. */
export class ReferenceClusters {
  private learned: Learned = nothingLearned();
  private clusters: readonly Cluster[] = [];
  private readonly clusterOf: (key: string) => string;
  private readonly c: number;
  private readonly threshold: number;

  constructor(clusterOf: Readonly<Record<string, string>>, c: number, threshold: number) {
    this.clusterOf = (key) => clusterOf[key] ?? '';
    this.c = c;
    this.threshold = threshold;
  }

  /** One more plan, and what it went by. */
  plan(nWorkers: number, keys: readonly string[]): { t: number; ranking: RankedCluster[]; leased: string[]; units: WorkUnit[] } {
    this.clusters = clustersOf(keys, this.clusterOf);
    const list = hash32(JSON.stringify(keys));
    this.learned = withPlan(this.learned, { clusters: this.names(), list });
    const ranking = rankedClusters(this.clusters, this.learned, { c: this.c, inFlight: [] });
    const places = leases(
      ranking.map(() => Number.POSITIVE_INFINITY),
      nWorkers,
    );
    const given = places.flatMap((place) => (place === null ? [] : (ranking[place] ?? [])));
    const units = given.map(({ keys: whole }, worker) => ({ worker, keys: whole, stage: 0, section: null }));
    return { t: this.learned.plans, ranking, leased: given.map(({ cluster }) => cluster), units };
  }

  /** Learns from a score; of a task that is in no cluster of the last plan, nothing. */
  observe(task: string, score: number): void {
    const cluster = this.clusters.find(({ keys }) => keys.includes(task))?.cluster;
    if (cluster === undefined) return;
    const seen = { value: Math.max(0, 1 - score), passed: score >= this.threshold };
    this.learned = withObservation(this.learned, observed(statsOf(this.learned, cluster), seen, RATES));
  }

  /** What is known of each cluster of the last plan, as the vectors write it. */
  state(): object[] {
    return this.names().map((name) => {
      const { cluster, value, evidence, passRate } = statsOf(this.learned, name);
      return { cluster, recent_value: value, n_evidence: evidence, pass_rate: passRate };
    });
  }

  private names(): string[] {
    return this.clusters.map(({ cluster }) => cluster);
  }
}
