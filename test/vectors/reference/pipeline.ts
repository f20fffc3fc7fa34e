import type { WorkUnit } from '../../../src/strategies/strategy.ts';

/** A chain of stages: what a stage rests on, which swap would show whether it is to blame, and which worker has which. */

/**
 * The stages before one, in order; of stages with one name the first is meant.
 *
 * @throws RangeError for a stage that is not in the chain
 */
export function upstreamOf(stages: readonly string[], stage: string): string[] {
  const at = stages.indexOf(stage);
  if (at === -1) throw new RangeError(`the chain has no stage named ${stage}`);
  return stages.slice(0, at);
}

/** What to run to see whether a stage is to blame: the chain with its old and its new version, all else as it is. */
export function counterfactualPairs(stage: string): [string, string][] {
  return [[`old:${stage}`, `new:${stage}`]];
}

/**
 * One unit for each worker: all items, and stage i, around again when there are more workers than stages.
 *
 * @throws RangeError when there are workers and no stages
 */
export function stageUnits(stages: readonly string[], nWorkers: number, keys: readonly string[]): WorkUnit[] {
  if (nWorkers > 0 && stages.length === 0) throw new RangeError('the chain has no stages');
  return Array.from({ length: nWorkers }, (_, worker) => ({ worker, keys, stage: worker % stages.length, section: null }));
}
