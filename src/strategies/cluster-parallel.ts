import { z } from 'zod';
import { Subject } from '../domain/item-facts.ts';
import { hash32 } from '../domain/random.ts';
import { clustersOf, sharedOut } from './clusters/leases.ts';
import {
  Learned,
  nothingLearned,
  observed,
  rankedClusters,
  statsOf,
  withGain,
  withObservation,
  withPlan,
} from './clusters/stats.ts';
import { SamplerState } from './samplers.ts';
import { defineStrategy, type PlanInput, type StrategyOutcome, type WorkUnit } from './strategy.ts';
import { firstSamples, orderedUnits, SamplerName, withSample } from './unit-order.ts';

const Rate = z.number().min(0).max(1);

const Options = z.strictObject({
  by: Subject.default('family').meta({ description: 'what items of one cluster have in common' }),
  c: z.number().min(0).default(1.4).meta({ description: 'how much a cluster that is little known is preferred' }),
  keep_statistics: z.boolean().default(true).meta({
    description: 'whether what was learned of a cluster outlives a change of the list of items; false as in the reference',
  }),
  count_in_flight: z.boolean().default(true).meta({
    description: 'whether work that is going on counts as evidence, so that workers without a barrier spread out',
  }),
  rates: z
    .strictObject({
      value: Rate.default(0.2).meta({ description: 'of the moving average of the gain' }),
      passes: Rate.default(0.1).meta({ description: 'of the moving average of how often there was a gain' }),
    })
    .prefault({})
    .meta({ description: 'how far one result moves what is known of its cluster, from 0 to 1' }),
  sampler: SamplerName.default('round_robin'),
});
type Options = z.infer<typeof Options>;

const State = z.strictObject({
  v: z.literal(1),
  learned: Learned,
  /** The items last leased and their clusters, by which work in flight is known. At most one for each worker. */
  leased: z.array(z.strictObject({ key: z.string(), cluster: z.string() })),
  sampler: SamplerState.nullable(),
});
type State = z.infer<typeof State>;

/** Items of the backlog that each worker may choose from. */
const ITEMS_PER_WORKER = 4;

/**
 * Cluster parallel: items are grouped by what they are about, and each worker leases a whole cluster: the best by an
 * upper confidence bound of gain times difficulty. Clusters in which nothing helps, or all is found, lose their workers.
 *
 * Where it differs from the reference, on purpose: workers that share a cluster share out its items; what is known of a
 * cluster outlives a change of the list of items; work in flight counts as evidence; a worker whose cluster is used up
 * takes the next one that has items left; and what is learned from is the gain over the parent, by its place among the
 * last gains, because 1 - score suits only a score with a known end.
 */
export const clusterParallel = defineStrategy(
  {
    name: 'cluster_parallel',
    about: 'items grouped by family, target or operator; groups that still give gains get more workers',
    options: Options,
    lookahead: (free) => free * ITEMS_PER_WORKER,
    initial: ({ sampler }) => ({ v: 1 as const, learned: nothingLearned(), leased: [], sampler: firstSamples(sampler) }),
    plan,
    observe: (options, state, _unit, itemId, outcome) => ({
      v: 1 as const,
      learned: withOutcome(options, state.learned, outcome),
      leased: state.leased.filter(({ key }) => key !== itemId),
      sampler: withSample(state.sampler, itemId, outcome),
    }),
  },
  State,
);

function plan(options: Options, state: State, input: PlanInput): { state: State; units: WorkUnit[] } {
  const clusterOf = (key: string): string => input.facts[key]?.[options.by] ?? '';
  const open = input.keys.filter((key) => !input.inFlight.includes(key));
  const clusters = clustersOf(open, clusterOf);
  const learned = withPlan(state.learned, {
    clusters: clusters.map(({ cluster }) => cluster),
    list: options.keep_statistics ? null : hash32(JSON.stringify(input.keys)),
  });
  const running = state.leased.filter(({ key }) => input.inFlight.includes(key));
  const inFlight = options.count_in_flight ? running.map(({ cluster }) => cluster) : [];
  const shares = sharedOut(rankedClusters(clusters, learned, { c: options.c, inFlight }), input.free.length);
  const units = input.free.map((worker, index) => ({ worker, keys: shares[index] ?? [], stage: 0, section: null }));
  const ordered = orderedUnits(options.sampler, state.sampler, { units, facts: input.facts });
  const leased = ordered.units.flatMap(({ keys: [key] }) => (key === undefined ? [] : [{ key, cluster: clusterOf(key) }]));
  return { state: { v: 1, learned, leased: [...running, ...leased], sampler: ordered.state }, units: ordered.units };
}

/** A dropped item says nothing of its cluster; a node that is not better than its parent, that nothing was won there. */
function withOutcome({ by, rates }: Options, learned: Learned, { status, gain, facts }: StrategyOutcome): Learned {
  if (status === 'dropped') return learned;
  const stats = statsOf(learned, facts[by] ?? '');
  if (gain === null || !(gain > 0)) return withObservation(learned, observed(stats, { value: 0, passed: false }, rates));
  const judged = withGain(learned, gain);
  return withObservation(judged.learned, observed(stats, { value: judged.place, passed: true }, rates));
}
