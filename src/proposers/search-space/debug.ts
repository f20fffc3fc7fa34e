import type { PastNode, Proposal } from '../../domain/proposal.ts';
import { defaultParameters } from '../../domain/task.ts';
import type { ProposalContext } from '../proposer.ts';
import { exhausted, fresh, nth, proposed, text, type Candidate } from './answers.ts';
import { triedPoints } from './evidence.ts';
import { componentOf, differingKeys, identity, openKeys, valuesOf, type Point } from './space.ts';
import { candidatesOf } from './tune.ts';

/**
 * Repairs a buggy node. The keys in which it differs from the nearest node that works are suspects; they are put
 * back one at a time, the most suspicious first: one that the failure's message names, then one whose value only
 * broken nodes have. From the third repair in a row on all but one go back at once. Where nothing new comes of
 * that (the node differs in one key only, or nothing works yet) other values are tried. The ablated component of
 * an ablation stays ablated, and the label stays in any case.
 */
export function debug(context: ProposalContext): Proposal {
  const { base, task, pending, parent } = context;
  const label = parent?.label ?? 'debug';
  const reference = nearestGood(context)?.parameters ?? defaultParameters(task);
  const suspects = suspectsOf(context, reference);
  const single = suspects.map((key) => putBack(context, reference, [key]));
  const allButOne = suspects.toReversed().map((kept) => {
    const keys = suspects.filter((key) => key !== kept);
    return keys.length === 0 ? [] : [putBack(context, reference, keys)];
  });
  const others = repairableKeys(context).map((key) => candidatesOf(context, key).slice(0, 3));
  const repairs = [
    ...(isLongChain(context) ? [...allButOne.flat(), ...single] : [...single, ...allButOne.flat()]),
    ...others.flat(),
  ];
  const known = { task, from: base.parameters, tried: triedPoints(context) };
  const choice = nth([...untriedBase(context, known.tried), ...fresh(known, repairs)], pending);
  if (choice === undefined) return exhausted('no repair is left to try');
  return proposed(task, base.parameters, { ...choice, label, plan: `Repair: ${choice.plan}` });
}

/** The point to start from as it is, where the parent has no program of its own and that point was never tried. */
function untriedBase({ parent, base, task }: ProposalContext, tried: ReadonlySet<string>): Candidate[] {
  const isUntried = parent?.failure?.reason === 'proposal_malformed' && !tried.has(identity(task, base.parameters));
  return isUntried
    ? [{ point: base.parameters, label: '', plan: 'take the program as it was before the unusable proposal.' }]
    : [];
}

/** The nearest ancestor that works, else the working node with the fewest differences; the latest of equals. */
function nearestGood(context: ProposalContext): PastNode | undefined {
  const { task, past, base } = context;
  const byId = new Map(past.map((node) => [node.id, node]));
  let at = context.parent;
  while (at !== null) {
    if (at.metric !== null) return at;
    at = (at.parent === null ? undefined : byId.get(at.parent)) ?? null;
  }
  const good = past.filter((node) => node.metric !== null).reverse();
  const apart = (node: PastNode): number => differingKeys(task, node.parameters, base.parameters).length;
  return good.sort((a, b) => apart(a) - apart(b))[0];
}

/** Keys that a repair may change, the most suspicious first; the family last, as it changes everything. */
function repairableKeys(context: ProposalContext): string[] {
  const { task, base, parent } = context;
  const held = parent?.stage === 'ablation_studies' ? parent.label.split('+') : [];
  const keys = openKeys(context, base.parameters).filter((key) => !held.includes(key));
  const rank = (key: string): number => suspicion(context, key) - (key === task.family ? 10 : 0);
  return keys.sort((a, b) => rank(b) - rank(a));
}

function suspectsOf(context: ProposalContext, reference: Point): string[] {
  const apart = differingKeys(context.task, reference, context.base.parameters);
  return repairableKeys(context).filter((key) => apart.includes(key) && reference[key] !== undefined);
}

function suspicion(context: ProposalContext, key: string): number {
  const value = context.base.parameters[key];
  const same = context.past.filter((node) => node.parameters[key] === value);
  const onlyBroken = same.length > 0 && same.every((node) => node.failure !== null);
  return (isNamed(context, key) ? 2 : 0) + (onlyBroken ? 1 : 0);
}

/** Whether the failure's message names the key, its last word, or the value of a choice. */
function isNamed({ parent, base, task }: ProposalContext, key: string): boolean {
  const message = parent?.failure?.message ?? '';
  const words = message.split(/[^A-Za-z0-9_]+/);
  const value = componentOf(task, key)?.type === 'choice' ? text(base.parameters[key]) : '';
  const isValueNamed = value.length > 3 && message.toLowerCase().includes(value.toLowerCase());
  const isKeyNamed = key.includes('.') && message.includes(key);
  return isValueNamed || isKeyNamed || words.includes(key.split('.').at(-1) ?? key);
}

/** Whether two repairs in a row led here. */
function isLongChain({ parent, past }: ProposalContext): boolean {
  const before = past.find((node) => node.id === parent?.parent);
  return parent?.operator === 'debug' && before?.operator === 'debug';
}

function putBack({ base, task }: ProposalContext, reference: Point, keys: readonly string[]): Candidate {
  const back = keys.map((key): [string, Point[string]] => [key, reference[key] ?? valuesOf(task, key)[0] ?? 0]);
  const point = { ...base.parameters, ...Object.fromEntries(back) };
  const words = back.map(([key, value]) => `${key} back to ${text(value)}`);
  return { point, label: '', plan: `${words.join(', ')}, as in a node that works.` };
}
