import { z } from 'zod';
import { defineStrategy, type PlanInput, type WorkUnit } from './strategy.ts';

const Options = z.strictObject({});
const State = z.strictObject({ v: z.literal(1) });

/** Items of the backlog that each worker may choose from. */
const ITEMS_PER_WORKER = 4;

/**
 * Data parallel: the backlog is dealt round-robin into as many shards as there are workers, and in each round a
 * worker takes the next shard, so that over the rounds every worker sees every part of the backlog. Keeps no state.
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
    initial: () => ({ v: 1 as const }),
    plan: (_options, state, input) => ({ state, units: rotatingUnits(input) }),
    observe: (_options, state) => state,
  },
  State,
);

/** Deals `items` in turn into `count` lists, at least one; the order inside each is kept. */
export function dealRoundRobin<T>(items: readonly T[], count: number): T[][] {
  const shards = Array.from({ length: Math.max(1, count) }, (): T[] => []);
  items.forEach((item, index) => shards[index % shards.length]?.push(item));
  return shards;
}

function rotatingUnits({ nWorkers, free, roundOf, keys, inFlight }: PlanInput): WorkUnit[] {
  const open = keys.filter((key) => !inFlight.includes(key));
  const shards = dealRoundRobin(open, nWorkers);
  const taken = new Set<number>();
  return free.map((worker) => {
    const wanted = worker + (roundOf[worker] ?? 0);
    const shard = shards.map((_, step) => modulo(wanted + step, shards.length)).find((index) => !taken.has(index));
    if (shard !== undefined) taken.add(shard);
    return { worker, keys: shard === undefined ? [] : (shards[shard] ?? []), stage: 0, section: null };
  });
}

/** The remainder that is never negative. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
