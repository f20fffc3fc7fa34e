import { compareValues } from '../../../src/domain/metric.ts';

/** Work of known weights on workers. */
export interface Schedule {
  /** The worker of each piece of work, from 0. */
  readonly assignment: number[];
  /** When the last worker is done, in the unit of the weights; 0 without work. */
  readonly makespan: number;
  /** When the last would be done if the pieces were dealt in their order. */
  readonly dealtMakespan: number;
}

/**
 * The longest piece first, each to the worker that has the least so far; of equals the earlier piece, and the first
 * worker. At most a third longer than the shortest schedule that there is. O(n (log n + workers)).
 */
export function lptSchedule(weights: readonly number[], workers: number): Schedule {
  const longestFirst = weights
    .map((weight, place) => ({ weight, place }))
    .sort((a, b) => compareValues('maximize', a.weight, b.weight));
  const loads = Array.from({ length: workers }, () => 0);
  const assignment = weights.map(() => 0);
  for (const { weight, place } of longestFirst) {
    const worker = loads.reduce((least, load, at) => (load < (loads[least] ?? 0) ? at : least), 0);
    loads[worker] = (loads[worker] ?? 0) + weight;
    assignment[place] = worker;
  }
  const dealt = loads.map((_, worker) => sum(weights.filter((_weight, place) => place % workers === worker)));
  return { assignment, makespan: Math.max(0, ...loads), dealtMakespan: Math.max(0, ...dealt) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
