import { loadTask } from '../../src/adapters/task-file.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import { defaultParameters, type Task } from '../../src/domain/task.ts';
import { taskFolder } from './experiment-programs.ts';

/** The planted tasks once more, written down apart from their programs: what a point is worth, and which is the best. */

/** A point of a component space. */
export type Point = Readonly<Record<string, ParameterValue>>;

/** A task whose best point is known. */
export interface Planted {
  readonly task: Task;
  /** The metric of a point that has every key. */
  readonly worth: (point: Point) => number;
  /** A best point, and its metric. */
  readonly best: Point;
  readonly optimum: number;
}

/** Keys of `separable` and `coupled`. */
const KEYS: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Reads a number of a point. */
function numberAt(point: Point, key: string): number {
  const value = point[key];
  if (typeof value !== 'number') throw new TypeError(`${key} is ${String(value)}, not a number`);
  return value;
}

function kModule(point: Point): number {
  const right = ['delta', 'beta', 'epsilon', 'gamma'];
  return right.filter((choice, at) => point[`slot.${'abcd'.charAt(at)}`] === choice).length;
}

function separable(point: Point): number {
  const [best, cost] = [
    [3, 1, 4, 2, 3, 4, 1, 2],
    [2, 7, 1, 5, 4, 3, 8, 6],
  ];
  return KEYS.reduce((sum, key, at) => sum + (cost[at] ?? 0) * (4 - Math.abs(numberAt(point, key) - (best[at] ?? 0))), 0);
}

function coupled(point: Point): number {
  const gains = ['0 3 5 2 -1', '0 -2 1 4 6', '0 2 -1 3 1', '0 7 4 1 -3', '0 1 2 8 5', '0 -1 3 6 2', '0 4 2 -2 1', '0 1 7 3 2'];
  const gainOf = (key: string, at: number): number => Number(gains[at]?.split(' ')[numberAt(point, key)]);
  const changed = KEYS.filter((key) => point[key] !== 0).length;
  return KEYS.reduce((sum, key, at) => sum + gainOf(key, at), 0) - 10 * Math.max(0, changed - 1);
}

function minimum(point: Point): number {
  const [x, y] = [numberAt(point, 'x'), numberAt(point, 'y')];
  return Math.sin(x) * Math.cos(y) + Math.sin(x * y) + (x ** 2 + y ** 2) / 20;
}

function clusters(point: Point): number {
  const apart = (place: string): number =>
    place.split(' ').reduce((sum, at, index) => sum + Math.abs(numberAt(point, 'pqrstuvw'.charAt(index)) - Number(at)), 0);
  const families: Readonly<Record<string, number>> = {
    granite: 80,
    basalt: 85,
    amber: 120 - apart('0 0 0 0 0 0 0 0'),
    clay: 150 - apart('12 17 20 15 11 18 14 19'),
    loam: 160 - apart('16 13 19 11 18 20 15 12'),
  };
  return families[String(point['family'])] ?? NaN;
}

const FORMULAS: Readonly<Record<string, Omit<Planted, 'task'>>> = {
  k_module: {
    worth: kModule,
    best: { 'slot.a': 'delta', 'slot.b': 'beta', 'slot.c': 'epsilon', 'slot.d': 'gamma' },
    optimum: 4,
  },
  separable: { worth: separable, best: { a: 3, b: 1, c: 4, d: 2, e: 3, f: 4, g: 1, h: 2 }, optimum: 144 },
  coupled: { worth: coupled, best: { e: 3 }, optimum: 8 },
  minimum: { worth: minimum, best: { x: -1.70408285, y: 0.6775078 }, optimum: -1.5186858408 },
  clusters: {
    worth: clusters,
    best: { family: 'loam', p: 16, q: 13, r: 19, s: 11, t: 18, u: 20, v: 15, w: 12 },
    optimum: 160,
  },
};

/** The names of the planted tasks. */
export const PLANTED: readonly string[] = Object.keys(FORMULAS);

/** Loads a planted task. */
export async function plantedTask(name: string): Promise<Planted> {
  const formula = FORMULAS[name];
  if (formula === undefined) throw new TypeError(`no planted task is named ${name}`);
  const task = await loadTask(taskFolder(name));
  return { ...formula, task, best: { ...defaultParameters(task), ...formula.best } };
}
