import type { ComponentKey, Edit, Experiment } from './experiment.ts';

/**
 * Edits as values: what two of them disagree about, several as one, and the edit between two experiments.
 *
 * X1 Where no two edits contradict each other, their union is the same in every order.
 * X2 Applying the difference of two experiments to the first gives the second.
 */

/** The two maps of an edit and of an experiment. */
const MAPS = ['parameters', 'files'] as const;

/** The keys that both edits touch, sorted. */
export function sharedKeys(one: Edit, other: Edit): ComponentKey[] {
  return MAPS.flatMap((map) => sharedIn(one[map], other[map])).sort();
}

/** The keys to which two edits give different values, sorted. The same value twice is no contradiction. */
export function contradictions(one: Edit, other: Edit): ComponentKey[] {
  return MAPS.flatMap((map) => sharedIn(one[map], other[map]).filter((key) => one[map][key] !== other[map][key])).sort();
}

/** Several edits as one. Where two give a key different values, the later holds. */
export function union(edits: readonly Edit[]): Edit {
  return {
    parameters: Object.fromEntries(edits.flatMap(({ parameters }) => Object.entries(parameters))),
    files: Object.fromEntries(edits.flatMap(({ files }) => Object.entries(files))),
  };
}

/** Whether two edits change the same keys to the same values. */
export function isSameEdit(one: Edit, other: Edit): boolean {
  const shared = sharedKeys(one, other).length;
  return shared === keyCount(one) && shared === keyCount(other) && contradictions(one, other).length === 0;
}

/** The edit that leads from one experiment to another: only what differs, `null` for a key that the other lacks. */
export function difference(before: Experiment, after: Experiment): Edit {
  return {
    parameters: changes(before.parameters, after.parameters),
    files: changes(before.files, after.files),
  };
}

function changes<T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>): Record<string, T | null> {
  const set = Object.entries(after).filter(([key, value]) => before[key] !== value);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries<T | null>([...set, ...gone.map((key) => [key, null] as const)]);
}

function sharedIn(one: object, other: object): ComponentKey[] {
  return Object.keys(one).filter((key) => Object.hasOwn(other, key));
}

function keyCount(edit: Edit): number {
  return Object.keys(edit.parameters).length + Object.keys(edit.files).length;
}
