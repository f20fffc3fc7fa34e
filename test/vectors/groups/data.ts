import { z } from 'zod';
import { dealRoundRobin } from '../../../src/strategies/shards.ts';
import { planned, type Runner } from './runner.ts';

const Shards = z.object({ items: z.array(z.string()), n_shards: z.number() });
const PlanCall = z.object({ n_workers: z.number(), round: z.number(), keys: z.array(z.string()) });

/** Sharding and data parallel plans. */
export const DATA: Readonly<Record<string, Runner>> = {
  shard_round_robin: (input) => {
    const { items, n_shards: count } = Shards.parse(input);
    return dealRoundRobin(items, count);
  },
  'DataParallel.plan': (input) => planned('data_parallel', {}, PlanCall.parse(input)),
};
