import { z } from 'zod';
import { ComponentKey, ParameterValue } from './experiment.ts';
import { MetricSpec } from './metric.ts';

/**
 * What is researched: `experiments/<task>/task.yaml`. It names the goal, the one metric, the datasets, the
 * entry program and the component space. Keys are snake_case, as in every YAML file of the project.
 */

const common = {
  /** The part of the program it belongs to; what sections and component groups partition. */
  group: z.string().regex(/^[a-z][a-z0-9_]*$/),
  /** The value that switches the component off or makes it trivial; without it the component is not ablated. */
  ablated: ParameterValue.exactOptional(),
  /** The key counts only while each named key has one of the listed values. */
  when: z.record(ComponentKey, z.array(ParameterValue).min(1).max(50)).exactOptional(),
  /** One line for people. */
  about: z.string().max(200).exactOptional(),
};

const range = { min: z.number(), max: z.number(), log: z.boolean().default(false) };

/** One key of the component space: its type, range, default, group and ablated value. */
export const Component = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('choice'),
      values: z.array(ParameterValue).min(1).max(50),
      default: ParameterValue,
      ...common,
    }),
    z.strictObject({ type: z.literal('int'), ...range, default: z.number().int(), ...common }),
    z.strictObject({ type: z.literal('float'), ...range, default: z.number(), ...common }),
    z.strictObject({ type: z.literal('bool'), default: z.boolean(), ...common }),
  ],
  'expected one of choice, int, float, bool',
);
export type Component = z.infer<typeof Component>;

const FileName = z
  .string()
  .max(80)
  .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9]+$/, 'a file of a task is named without a folder, e.g. train.py');

const TaskShape = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/, 'a task is named by 1 to 31 of a-z, 0-9, dash and underscore'),
  goal: z.string().min(1).max(2000),
  metric: MetricSpec,
  /** In order: stages 1 and 2 use the first, later stages all of them. */
  datasets: z
    .array(z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, 'a dataset is named by 1 to 41 of a-z, 0-9, dash and underscore'))
    .min(1)
    .max(50),
  /** The program that is run for an evaluation, beside task.yaml. */
  entry: FileName,
  /** A program that draws figures of a node; run like an evaluation without a metric. */
  plot: FileName.exactOptional(),
  /** Other files that the program imports, beside task.yaml. */
  files: z.array(FileName).max(50).default([]),
  /** Keys that no proposal may change. */
  frozen: z.array(ComponentKey).max(200).default([]),
  /** The key whose values are the families of drafts: each draft takes another one. */
  family: ComponentKey.exactOptional(),
  components: z.record(ComponentKey, Component),
});

/** The whole task file, its parts fitting each other. */
export const Task = TaskShape.superRefine((task, context) => {
  for (const [path, message] of taskProblems(task)) context.addIssue({ code: 'custom', path: [...path], message });
});
export type Task = z.infer<typeof Task>;

/** Whether a value is one that the component may take. */
export function isAllowed(component: Component, value: ParameterValue): boolean {
  switch (component.type) {
    case 'choice':
      return component.values.includes(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'number' && Number.isInteger(value) && value >= component.min && value <= component.max;
    case 'float':
      return typeof value === 'number' && value >= component.min && value <= component.max;
  }
}

/** The files of a task's program, the entry first, each once. */
export function taskFiles(task: Pick<Task, 'entry' | 'plot' | 'files'>): string[] {
  return [task.entry, ...(task.plot === undefined ? [] : [task.plot]), ...task.files];
}

/** The keys that count under these parameters: those whose `when` holds, sorted. */
export function activeKeys(task: Pick<Task, 'components'>, parameters: Readonly<Record<string, ParameterValue>>): ComponentKey[] {
  return Object.entries(task.components)
    .filter(([, component]) => Object.entries(component.when ?? {}).every(([key, values]) => holds(values, parameters[key])))
    .map(([key]) => key)
    .sort();
}

/** The parameters of a program that nobody has changed: every component at its default. */
export function defaultParameters(task: Pick<Task, 'components'>): Record<ComponentKey, ParameterValue> {
  return Object.fromEntries(Object.entries(task.components).map(([key, component]) => [key, component.default]));
}

function holds(values: readonly ParameterValue[], value: ParameterValue | undefined): boolean {
  return value !== undefined && values.includes(value);
}

type Found = readonly [path: readonly (string | number)[], message: string];

function taskProblems(task: z.infer<typeof TaskShape>): Found[] {
  const { components, family, frozen } = task;
  const found: Found[] = [...twice('datasets', task.datasets), ...twice('files', taskFiles(task))];
  for (const [key, component] of Object.entries(components)) {
    found.push(...componentProblems(component, components).map((message): Found => [['components', key], message]));
  }
  frozen.forEach((key, index) => {
    if (!Object.hasOwn(components, key)) found.push([['frozen', index], `there is no component named ${key}`]);
  });
  for (const file of [task.entry, ...task.files]) {
    if (Object.hasOwn(components, file))
      found.push([['components', file], 'a component cannot be named like a file of the task']);
  }
  if (family !== undefined && components[family]?.type !== 'choice')
    found.push([['family'], `${family} must be a component of type choice`]);
  if (family !== undefined && frozen.includes(family))
    found.push([['family'], `${family} is frozen, so drafts could not differ in it`]);
  return found;
}

function twice(where: string, names: readonly string[]): Found[] {
  const again = names.filter((name, index) => names.indexOf(name) < index);
  return again.map((name) => [[where], `${name} is named twice`]);
}

function componentProblems(component: Component, all: Readonly<Record<string, Component>>): string[] {
  const problems: string[] = [];
  if ('min' in component && component.min > component.max) problems.push(`min ${component.min} is above max ${component.max}`);
  if ('min' in component && component.log && component.min <= 0) problems.push('a log range starts above 0');
  if (!isAllowed(component, component.default)) problems.push(`the default ${String(component.default)} is outside the range`);
  if (component.ablated !== undefined && !isOfType(component, component.ablated)) {
    problems.push(`the ablated value ${String(component.ablated)} is of another type`);
  }
  for (const [key, values] of Object.entries(component.when ?? {})) {
    const other = Object.hasOwn(all, key) ? all[key] : undefined;
    const never = other === undefined ? [] : values.filter((value) => !isOfType(other, value));
    if (other === undefined) problems.push(`when names ${key}, which is no component`);
    if (never.length > 0) problems.push(`when names values that ${key} never has: ${never.join(', ')}`);
  }
  return problems;
}

/** Whether a value is of the component's type; an ablated value may lie outside the range that is searched. */
function isOfType(component: Component, value: ParameterValue): boolean {
  if (component.type === 'choice' || component.type === 'bool') return isAllowed(component, value);
  return typeof value === 'number' && (component.type === 'float' || Number.isInteger(value));
}
