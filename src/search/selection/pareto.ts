import { PlatformFailure } from '../../domain/failure.ts';
import type { NodeId } from '../../domain/ids.ts';
import { walked, type Walk } from './candidates.ts';

/** A candidate by its scores on several tasks. */
export interface TaskScores {
  readonly id: NodeId;
  /** Higher is better; a task that is missing is as bad as can be. */
  readonly scores: Readonly<Record<string, number>>;
}

/**
 * The Pareto front in turn: those that are the best on the most tasks first, of equals the earlier one. O(N² tasks).
 *
 * @throws PlatformFailure `ConfigInvalid` when no candidate has the score of any task
 */
export function pareto(candidates: readonly TaskScores[], walk: Walk): NodeId[] {
  const tasks = [...new Set(candidates.flatMap(({ scores }) => Object.keys(scores)))];
  if (tasks.length === 0)
    throw new PlatformFailure('ConfigInvalid', 'no candidate has scores of single tasks', 'Use another selection.');
  const rows = candidates.map(({ scores }) => tasks.map((task) => scores[task] ?? -Infinity));
  const places = paretoFront(rows);
  const wins = winFrequency(rows, places);
  const front = places.toSorted((a, b) => (wins.get(b) ?? 0) - (wins.get(a) ?? 0));
  return walked(front, walk).flatMap((place) => candidates[place]?.id ?? []);
}

/** The places of the rows that no other row dominates: nowhere worse and somewhere better. */
export function paretoFront(rows: readonly (readonly number[])[]): number[] {
  return rows.flatMap((row, place) => (rows.some((other) => dominates(other, row)) ? [] : [place]));
}

/** How many columns each row of the front is the best in, shared bests included; rows that are the best in none are left out. */
export function winFrequency(rows: readonly (readonly number[])[], front = paretoFront(rows)): Map<number, number> {
  const columns = rows[0]?.map((_, column) => column) ?? [];
  const best = columns.map((column) => rows.reduce((most, row) => Math.max(most, row[column] ?? -Infinity), -Infinity));
  const wins = front.map((place): [number, number] => [
    place,
    columns.filter((column) => rows[place]?.[column] === best[column]).length,
  ]);
  return new Map(wins.filter(([, times]) => times > 0));
}

function dominates(a: readonly number[], b: readonly number[]): boolean {
  const isNowhereWorse = a.every((value, column) => value >= (b[column] ?? -Infinity));
  return isNowhereWorse && a.some((value, column) => value > (b[column] ?? -Infinity));
}
