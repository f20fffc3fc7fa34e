import type { Proposal } from '../../domain/proposal.ts';
import { randomStream } from '../../domain/random.ts';
import type { ProposalContext } from '../proposer.ts';
import { exhausted, fresh, proposed, text, type Candidate } from './answers.ts';
import { rankedValues, triedPoints } from './evidence.ts';
import { openKeys } from './space.ts';

/**
 * Changes exactly one key, the item's target, to the most promising value that was not tried with all else
 * equal (search-space/evidence.ts). Without a target it takes the key that was tuned least.
 */
export function tune(context: ProposalContext): Proposal {
  const { base, item, task, pending } = context;
  const open = openKeys(context, base.parameters);
  if (item.target !== null && !open.includes(item.target)) {
    return exhausted(`${item.target} does not count here, or may not be changed`);
  }
  const keys = item.target === null ? leastTuned(context, open) : [item.target];
  const known = { task, from: base.parameters, tried: triedPoints(context) };
  const byKey = keys.map((key) => [...fresh(known, candidatesOf(context, key))]);
  const choice = dealt(byKey)[pending];
  return choice === undefined
    ? exhausted(`no untried value is left for ${item.target ?? 'any key'}`)
    : proposed(task, base.parameters, choice);
}

/** The candidates that differ from the base in `key`, most promising first. */
export function candidatesOf(context: ProposalContext, key: string): Candidate[] {
  const point = context.base.parameters;
  const draw = randomStream(context.seed, `search_space/values/${key}`);
  return rankedValues(context, { key, point }, draw).map((value) => ({
    point: { ...point, [key]: value },
    label: key,
    plan: `Tune ${key}: ${text(value)} instead of ${text(point[key])}, judged by the nodes so far.`,
  }));
}

function leastTuned(context: ProposalContext, open: readonly string[]): string[] {
  const keys = open.filter((key) => key !== context.task.family);
  const times = (key: string): number => context.past.filter(({ label }) => label === key).length;
  return randomStream(context.seed, 'search_space/keys')
    .shuffle(keys)
    .sort((a, b) => times(a) - times(b));
}

/** One of each list in turn, then the next of each. */
function dealt<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
