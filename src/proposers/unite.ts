import { contradictions, difference, union } from '../domain/edits.ts';
import { canonicalText, type Edit, type Experiment, type ParameterValue } from '../domain/experiment.ts';
import type { NodeId } from '../domain/ids.ts';
import type { Proposal } from '../domain/proposal.ts';
import type { Task } from '../domain/task.ts';
import { changedKeys, editedExperiment } from './check-edit.ts';

/**
 * Proposals for which no proposer is asked, since there is nothing to choose: a merge, which is what several nodes
 * change in one base as one edit, and an edit that is put on another node.
 */

/** A node that is to be united with others. */
export interface Part {
  readonly id: NodeId;
  readonly experiment: Experiment;
}

/** The union as a proposal, or that nodes give a key different values. */
export type UnionProposal = Proposal | { readonly status: 'conflict'; readonly message: string };

/** An edit of a part, with the keys that it changes. */
interface Change {
  readonly id: NodeId;
  readonly edit: Edit;
  readonly keys: readonly string[];
}

/**
 * Unites what the parts change in the base, in their order. Only keys that count in a part are changed by it.
 * `exhausted` where the union does the same as the base or one of the parts, which is known already.
 */
export function unite(task: Task, base: Experiment, parts: readonly Part[]): UnionProposal {
  const changes = parts.map((part) => changeOf(task, base, part));
  const conflicts = changes.flatMap((one, at) => changes.slice(at + 1).flatMap((other) => conflictsOf(one, other)));
  if (conflicts.length > 0) return { status: 'conflict', message: conflicts.join('; ') };
  const edit = union(changes.map((change) => change.edit));
  const names = listed(parts.map(({ id }) => id));
  const same = known(task, base, parts).find(({ text }) => text === textOf(task, base, edit));
  if (same !== undefined) return { status: 'exhausted', message: `nothing to unite: the union of ${names} is ${same.name}` };
  const whats = changes.map(({ id, keys }) => `${id} (${keys.join(', ')})`);
  return {
    status: 'proposed',
    edit,
    label: `merge of ${names}`,
    plan: `Unite what ${listed(whats)} changed, to see whether it adds up.`,
  };
}

/**
 * The edit that was made of `from`, put on another experiment: of a better node that came meanwhile. `exhausted`
 * where that does the same as the node itself.
 */
export function rebased(
  task: Task,
  { from, made, onto }: Readonly<Record<'from' | 'made' | 'onto', Experiment>>,
  { label, plan }: { readonly label: string; readonly plan: string },
): Proposal {
  const { edit } = countingEdit(task, from, made);
  if (textOf(task, onto, edit) === textOf(task, onto, NO_EDIT))
    return { status: 'exhausted', message: 'the best node, which came meanwhile, has the edit already' };
  return { status: 'proposed', edit, label, plan };
}

function changeOf(task: Task, base: Experiment, { id, experiment }: Part): Change {
  return { id, ...countingEdit(task, base, experiment) };
}

/** What an experiment changes in another, and which keys; those that do not count in it stay as they are. */
function countingEdit(task: Task, before: Experiment, after: Experiment): { edit: Edit; keys: readonly string[] } {
  const keys = changedKeys(task, before, after);
  const { parameters, files } = difference(before, after);
  const counting = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key)));
  return { keys, edit: { parameters: counting(parameters), files: counting(files) } };
}

/** Each key to which two parts give different values, in words. */
function conflictsOf(one: Change, other: Change): string[] {
  return contradictions(one.edit, other.edit).map((key) =>
    Object.hasOwn(one.edit.files, key)
      ? `${key} differs between ${one.id} and ${other.id}`
      : `${key} is ${valueText(one.edit.parameters[key])} in ${one.id} and ${valueText(other.edit.parameters[key])} in ${other.id}`,
  );
}

/** What needs no second try: the base and each part, by what they do. */
function known(task: Task, base: Experiment, parts: readonly Part[]): { name: string; text: string }[] {
  const of = (experiment: Experiment): string => textOf(task, experiment, NO_EDIT);
  return [{ name: 'their base', text: of(base) }, ...parts.map(({ id, experiment }) => ({ name: id, text: of(experiment) }))];
}

const NO_EDIT: Edit = { parameters: {}, files: {} };

function textOf(task: Task, base: Experiment, edit: Edit): string {
  return canonicalText(editedExperiment(task, base, edit));
}

/** `n1, n2 and n3`. */
function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((word) => word !== '').join(' and ');
}

function valueText(value: ParameterValue | null | undefined): string {
  return value === null || value === undefined ? 'gone' : String(value);
}
