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
export const Component = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('choice'), values: z.array(ParameterValue).min(1).max(50), default: ParameterValue, ...common }),
  z.strictObject({ type: z.literal('int'), ...range, default: z.number().int(), ...common }),
  z.strictObject({ type: z.literal('float'), ...range, default: z.number(), ...common }),
  z.strictObject({ type: z.literal('bool'), default: z.boolean(), ...common }),
]);
export type Component = z.infer<typeof Component>;

const FileName = z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9]+$/, 'a file name without a folder');

/** The whole task file. */
export const Task = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/),
    goal: z.string().min(1).max(2000),
    metric: MetricSpec,
    /** In order: stages 1 and 2 use the first, later stages all of them. */
    datasets: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/)).min(1).max(50),
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
  })
  .superRefine((task, context) => {
    for (const [key, component] of Object.entries(task.components)) {
      for (const problem of componentProblems(component, task.components)) {
        context.addIssue({ code: 'custom', path: ['components', key], message: problem });
      }
    }
    for (const key of [...task.frozen, ...(task.family === undefined ? [] : [task.family])]) {
      if (!(key in task.components)) context.addIssue({ code: 'custom', path: ['frozen'], message: `there is no component named ${key}` });
    }
    if (new Set(task.datasets).size < task.datasets.length) {
      context.addIssue({ code: 'custom', path: ['datasets'], message: 'a dataset is named twice' });
    }
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

function componentProblems(component: Component, all: Readonly<Record<string, Component>>): string[] {
  const problems: string[] = [];
  if ('min' in component && component.min > component.max) problems.push(`min ${component.min} is above max ${component.max}`);
  if ('min' in component && component.log && component.min <= 0) problems.push('a log range starts above 0');
  if (!isAllowed(component, component.default)) problems.push(`the default ${String(component.default)} is outside the range`);
  for (const key of Object.keys(component.when ?? {})) {
    if (!(key in all)) problems.push(`when names ${key}, which is no component`);
  }
  return problems;
}
