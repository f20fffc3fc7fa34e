import { z } from 'zod';
import { dealRoundRobin } from '../../src/strategies/data-parallel.ts';
import { bindStrategy } from '../../src/strategies/registry.ts';

/** How the cases of a group are run here: from the input to what should be the output. */
export type Runner = (input: unknown) => unknown;

/** The groups that this system claims; cases of any other are skipped by name. */
export const GROUPS: Readonly<Record<string, Runner>> = {
  shard_round_robin: (input) => {
    const { items, n_shards: count } = Shards.parse(input);
    return dealRoundRobin(items, count);
  },
  'DataParallel.plan': (input) => planned('data_parallel', {}, PlanCall.parse(input)),
};

const Shards = z.object({ items: z.array(z.string()), n_shards: z.number() });
const PlanCall = z.object({ n_workers: z.number(), round: z.number(), keys: z.array(z.string()) });

/** Plans once, from the strategy's first state, with all workers free and in the same round. */
function planned(name: string, options: object, { n_workers: nWorkers, round, keys }: z.infer<typeof PlanCall>): unknown {
  const strategy = bindStrategy(name, options);
  const free = Array.from({ length: Math.max(0, nWorkers) }, (_, worker) => worker);
  return strategy.plan(strategy.initial(), { nWorkers, free, roundOf: free.map(() => round), keys, inFlight: [] }).units;
}
