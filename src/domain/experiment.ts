import { z } from 'zod';
import { Ref } from './ids.ts';

/**
 * An experiment is a candidate's content: a flat map from component key to value. A key is either a
 * parameter of the task's component space (`model.depth`) or a file of the program (`train.py`), whose
 * value is the content address of its text. An edit changes some keys of a parent's experiment.
 */

/** A component key: a parameter or a file name, never a path that leaves its folder. */
export const ComponentKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/, 'a component key is words joined by dots')
  .max(80);
export type ComponentKey = z.infer<typeof ComponentKey>;

/** The value of a parameter. Numbers are finite. */
export const ParameterValue = z.union([z.string().max(200), z.number(), z.boolean()]);
export type ParameterValue = z.infer<typeof ParameterValue>;

/** A candidate's content. `parameters` and `files` share one key space; together they are the flat map. */
export const Experiment = z.strictObject({
  v: z.literal(1),
  parameters: z.record(ComponentKey, ParameterValue),
  files: z.record(ComponentKey, Ref),
});
export type Experiment = z.infer<typeof Experiment>;

/** A change to an experiment; `null` removes the key. */
export const Edit = z.strictObject({
  parameters: z.record(ComponentKey, ParameterValue.nullable()),
  files: z.record(ComponentKey, Ref.nullable()),
});
export type Edit = z.infer<typeof Edit>;

/** The keys that an edit touches, sorted. */
export function editedKeys(edit: Edit): ComponentKey[] {
  return [...Object.keys(edit.parameters), ...Object.keys(edit.files)].sort();
}

/** The experiment after an edit; the one before is left as it is. */
export function applyEdit(before: Experiment, edit: Edit): Experiment {
  return {
    v: 1,
    parameters: merged(before.parameters, edit.parameters),
    files: merged(before.files, edit.files),
  };
}

/**
 * The one text of an experiment: keys sorted, no spaces. Equal experiments have equal texts, so the hash of
 * this text is their identity.
 */
export function canonicalText(experiment: Experiment): string {
  return JSON.stringify({ v: 1, parameters: sorted(experiment.parameters), files: sorted(experiment.files) });
}

function merged<T>(before: Readonly<Record<string, T>>, changes: Readonly<Record<string, T | null>>): Record<string, T> {
  const kept = Object.entries(before).filter(([key]) => !Object.hasOwn(changes, key));
  const changed = Object.entries(changes).filter((entry): entry is [string, T & {}] => entry[1] !== null);
  return Object.fromEntries([...kept, ...changed]);
}

function sorted<T>(map: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
