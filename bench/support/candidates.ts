import { randomStream } from '../../src/domain/random.ts';
import { defaultParameters, type Task } from '../../src/domain/task.ts';
import { valuesOf } from '../../src/proposers/search-space/space.ts';
import type { Parameters, Scorer } from './scorer.ts';

/** How candidates are valued, and the rival that draws them blindly. */

/** What a candidate is valued with. */
export interface Valuation {
  readonly task: Task;
  readonly scorer: Scorer;
}

/** The mean accuracy over all datasets with one seed; `null` when the program fails on one, which ends it there. */
export async function valueOn({ task, scorer }: Valuation, seed: number, parameters: Parameters): Promise<number | null> {
  let sum = 0;
  for (const dataset of task.datasets) {
    const score = await scorer.score(dataset, seed, parameters);
    if ('failure' in score) return null;
    sum += score.value;
  }
  return sum / task.datasets.length;
}

/** The mean over seeds of the mean over datasets; a program that fails on a seed has the accuracy 0 there. */
export async function valueOnSeeds(valuation: Valuation, seeds: readonly number[], parameters: Parameters): Promise<number> {
  const values = await Promise.all(seeds.map((seed) => valueOn(valuation, seed, parameters)));
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / seeds.length;
}

/**
 * Random search: points whose every key is drawn uniformly from the values that proposals can take, valued on
 * all datasets with the search seed, until `budget` evaluations are spent (the last point is finished). Gives
 * the best point and what was spent.
 */
export async function randomSearch(
  valuation: Valuation,
  { seed, budget }: { seed: number; budget: number },
): Promise<{ parameters: Parameters; spent: number }> {
  const { task, scorer } = valuation;
  const draw = randomStream(seed, 'random search');
  const before = scorer.used();
  let [top, found]: [number, Parameters] = [-1, defaultParameters(task)];
  while (scorer.used() - before < budget) {
    const parameters = Object.fromEntries(Object.keys(task.components).map((key) => [key, draw.pick(valuesOf(task, key)) ?? 0]));
    const value = await valueOn(valuation, seed, parameters);
    if (value !== null && value > top) [top, found] = [value, parameters];
  }
  return { parameters: found, spent: scorer.used() - before };
}

/** Seeds that a run has not seen: distinct, in an order of their own for each run. */
export function freshSeeds(run: number, count: number, seen: ReadonlySet<number>): number[] {
  const draw = randomStream(run, 'fresh seeds of the bench');
  const seeds = new Set<number>();
  while (seeds.size < count) {
    const seed = draw.below(2 ** 31);
    if (!seen.has(seed)) seeds.add(seed);
  }
  return [...seeds];
}
