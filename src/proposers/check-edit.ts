import { applyEdit, editedKeys, type Edit, type Experiment } from '../domain/experiment.ts';
import { activeKeys, defaultParameters, isAllowed, taskFiles, type Task } from '../domain/task.ts';

/** What an edit is checked against. */
export interface EditRules {
  readonly task: Task;
  readonly base: Experiment;
  /** Whether the edit may leave everything as it is. */
  readonly mayBeEmpty: boolean;
}

/** The keys that an edit changes though they are not among those that it may change, `null` for all. */
export function strayKeys(edit: Edit, base: Experiment, allowedKeys: readonly string[] | null): string[] {
  return allowedKeys === null ? [] : touchedKeys(edit, base).filter((key) => !allowedKeys.includes(key));
}

/** Why an edit cannot be used, in words; `null` when it can. An edit that only repeats a value touches nothing. */
export function editProblem(edit: Edit, { task, base, mayBeEmpty }: EditRules): string | null {
  const touched = touchedKeys(edit, base);
  if (touched.length === 0) return mayBeEmpty ? null : 'the edit changes nothing';
  for (const key of touched) {
    if (task.frozen.includes(key)) return `${key} is frozen: the task does not let it change`;
    const problem = Object.hasOwn(edit.files, key) ? fileProblem(key, task) : valueProblem(key, edit, task);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * The experiment that an edit makes: with a value for every component, those that do not count at their default,
 * so that experiments which do the same have the same address.
 */
export function editedExperiment(task: Task, base: Experiment, edit: Edit): Experiment {
  const after = applyEdit({ ...base, parameters: { ...defaultParameters(task), ...base.parameters } }, edit);
  const active = activeKeys(task, after.parameters);
  const counting = Object.entries(after.parameters).filter(([key]) => active.includes(key));
  return { ...after, parameters: { ...defaultParameters(task), ...Object.fromEntries(counting) } };
}

/** The keys that count in the new experiment and have another value than before, and the changed files; sorted. */
export function changedKeys(task: Task, before: Experiment, after: Experiment): string[] {
  const keys = activeKeys(task, after.parameters).filter((key) => before.parameters[key] !== after.parameters[key]);
  const names = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [...keys, ...[...names].filter((name) => before.files[name] !== after.files[name])].sort();
}

function touchedKeys(edit: Edit, base: Experiment): string[] {
  return editedKeys(edit).filter((key) => edit.parameters[key] !== base.parameters[key] || Object.hasOwn(edit.files, key));
}

function valueProblem(key: string, edit: Edit, task: Task): string | null {
  const component = Object.hasOwn(task.components, key) ? task.components[key] : undefined;
  const value = edit.parameters[key];
  if (component === undefined) return `${key} is no component of the task ${task.name}`;
  if (value === null || value === undefined) return `${key} cannot be removed: it is a component of the task`;
  return isAllowed(component, value) ? null : `${key} may not be ${JSON.stringify(value)}: that is outside its range`;
}

function fileProblem(key: string, task: Task): string | null {
  return taskFiles(task).includes(key) ? null : `${key} is no file of the task ${task.name}`;
}
