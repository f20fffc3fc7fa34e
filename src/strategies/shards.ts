import type { PlanInput } from './strategy.ts';

/** Dealing a backlog to workers. */

/** Deals `items` in turn into `count` lists, at least one; the order inside each is kept. */
export function dealRoundRobin<T>(items: readonly T[], count: number): T[][] {
  const shards = Array.from({ length: Math.max(1, count) }, (): T[] => []);
  items.forEach((item, index) => shards[index % shards.length]?.push(item));
  return shards;
}

/**
 * The shard of each of the free workers, in their order. There are as many shards as workers, and in each round a
 * worker takes the next one; a shard that is taken already is passed over for the next.
 */
export function rotatingShards<T>(
  items: readonly T[],
  { nWorkers, free, roundOf }: Pick<PlanInput, 'nWorkers' | 'free' | 'roundOf'>,
): T[][] {
  const shards = dealRoundRobin(items, nWorkers);
  const taken = new Set<number>();
  return free.map((worker) => {
    const wanted = worker + (roundOf[worker] ?? 0);
    const shard = shards.map((_, step) => modulo(wanted + step, shards.length)).find((index) => !taken.has(index));
    if (shard !== undefined) taken.add(shard);
    return shard === undefined ? [] : (shards[shard] ?? []);
  });
}

/** The remainder that is never negative. */
export function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
