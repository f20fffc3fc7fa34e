import { z } from 'zod';
import { SamplerState } from './samplers.ts';
import { rotatingShards } from './shards.ts';
import { defineStrategy, type PlanInput, type WorkUnit } from './strategy.ts';
import { firstSamples, orderedUnits, SamplerName, withSample } from './unit-order.ts';

const Options = z.strictObject({ sampler: SamplerName.default('round_robin') });

const State = z.strictObject({
  v: z.literal(1),
  /** Absent for a sampler that learns nothing. */
  sampler: SamplerState.exactOptional(),
});
type State = z.infer<typeof State>;

/** Items of the backlog that each worker may choose from. */
const ITEMS_PER_WORKER = 4;

/**
 * Data parallel: the backlog is dealt round-robin into as many shards as there are workers, and in each round a
 * worker takes the next shard, so that over the rounds every worker sees every part of the backlog. Keeps no state
 * but its sampler's.
 *
 * Rounds of workers may differ (one had nothing to do, or they are asynchronous); a shard that is taken already
 * is then passed over for the next one.
 */
export const dataParallel = defineStrategy(
  {
    name: 'data_parallel',
    about: 'the backlog dealt into one shard per worker; the shards rotate with the rounds',
    options: Options,
    lookahead: (free) => free * ITEMS_PER_WORKER,
    initial: ({ sampler }) => stateOf(firstSamples(sampler)),
    plan: ({ sampler }, state, input) => {
      const ordered = orderedUnits(sampler, state.sampler ?? null, { units: rotatingUnits(input), facts: input.facts });
      return { state: stateOf(ordered.state), units: ordered.units };
    },
    observe: (_options, state, _unit, itemId, outcome) => stateOf(withSample(state.sampler ?? null, itemId, outcome)),
  },
  State,
);

function stateOf(sampler: SamplerState | null): State {
  return sampler === null ? { v: 1 } : { v: 1, sampler };
}

function rotatingUnits({ keys, inFlight, ...workers }: PlanInput): WorkUnit[] {
  const open = keys.filter((key) => !inFlight.includes(key));
  const shards = rotatingShards(open, workers);
  return workers.free.map((worker, index) => ({ worker, keys: shards[index] ?? [], stage: 0, section: null }));
}
