import type { ParameterValue } from '../../domain/experiment.ts';
import { activeKeys, type Component, type Task } from '../../domain/task.ts';
import type { ProposalContext } from '../proposer.ts';

/**
 * The component space as the operators walk it: which keys may move, which values they may take, and when two
 * points are the same.
 */

/** A point of the component space: a value for each key, those that do not count included. */
export type Point = Readonly<Record<string, ParameterValue>>;

/** Values that are offered of a numeric component: evenly spaced over its (log) range. */
const GRID = 33;

/** The component of a key, `undefined` when the task has none of that name. */
export function componentOf(task: Task, key: string): Component | undefined {
  return Object.hasOwn(task.components, key) ? task.components[key] : undefined;
}

/** The keys that count at a point, may be changed and have more than one value, sorted. */
export function openKeys(context: ProposalContext, point: Point): string[] {
  const { task, allowedKeys } = context;
  return activeKeys(task, point).filter(
    (key) => !task.frozen.includes(key) && (allowedKeys === null || allowedKeys.includes(key)) && valuesOf(task, key).length > 1,
  );
}

/** What a point is, by the keys that count: equal for points that only differ in keys that do not. */
export function identity(task: Task, point: Point): string {
  return JSON.stringify(activeKeys(task, point).map((key) => [key, point[key]]));
}

/** The keys that count at either point and have another value there, or count at only one of them, sorted. */
export function differingKeys(task: Task, a: Point, b: Point): string[] {
  const [inA, inB] = [new Set(activeKeys(task, a)), new Set(activeKeys(task, b))];
  const all = [...new Set([...inA, ...inB])].sort();
  return all.filter((key) => inA.has(key) !== inB.has(key) || a[key] !== b[key]);
}

/** The values that are offered for a key: all of them when they are few, else a grid; in ascending order for numbers. */
export function valuesOf(task: Task, key: string): ParameterValue[] {
  const component = componentOf(task, key);
  if (component === undefined) return [];
  switch (component.type) {
    case 'choice':
      return component.values;
    case 'bool':
      return [false, true];
    case 'int':
    case 'float':
      return [...new Set(Array.from({ length: GRID }, (_, index) => valueAt(component, index / (GRID - 1))))];
  }
}

/** How far apart two values of a key are, 0 to 1: along the (log) range for numbers, 0 or 1 for choices. */
export function distance(task: Task, key: string, a: ParameterValue | undefined, b: ParameterValue | undefined): number {
  const component = componentOf(task, key);
  if (component === undefined || !('min' in component) || typeof a !== 'number' || typeof b !== 'number') return a === b ? 0 : 1;
  return Math.abs(positionOf(component, a) - positionOf(component, b));
}

type Numeric = Extract<Component, { type: 'int' | 'float' }>;

function positionOf({ min, max, log }: Numeric, value: number): number {
  if (min === max) return 0;
  return log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
}

function valueAt(component: Numeric, position: number): number {
  const { min, max, log } = component;
  const exact = log ? min * (max / min) ** position : min + (max - min) * position;
  const rounded = component.type === 'int' ? Math.round(exact) : Number(exact.toPrecision(3));
  const least = component.type === 'int' ? Math.ceil(min) : min;
  return Math.min(component.type === 'int' ? Math.floor(max) : max, Math.max(least, rounded));
}
