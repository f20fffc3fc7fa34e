/**
 * Block parallel: the backlog in contiguous blocks, one a worker; each works from the front of its own.
 * The example of docs/strategies.md: a strategy that needs no more than the workers, the round and the keys.
 */
export function blockParallel(nWorkers: number, _round: number, keys: readonly string[]) {
  const size = Math.ceil(keys.length / nWorkers);
  return Array.from({ length: nWorkers }, (_, worker) => ({
    worker,
    keys: keys.slice(worker * size, (worker + 1) * size),
  }));
}
