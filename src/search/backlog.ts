import { NodeId } from '../domain/ids.ts';
import { nodeItem, type NodeItem } from '../domain/item.ts';
import type { Merge } from '../domain/item-facts.ts';
import { findNode } from '../domain/journal.ts';
import type { Policy, PolicyInput } from './policy.ts';
import { timesOf, withOneMore } from './tally.ts';
import { addedItems } from './wishes.ts';
import { workKeyOf } from './work.ts';

/** How much is wanted, and what beside the policy's own choice. */
export interface BacklogWants {
  /** Items at most. */
  readonly want: number;
  /** What the strategy wants united. */
  readonly merges: readonly Merge[];
  /** The node that the strategy wants worked on, unless a person pinned another; `null` for the best. */
  readonly base: string | null;
}

/**
 * The backlog of a stage: what a person added, in that order, what the strategy wants united, and then what the
 * policy wants. At most `want` items and no more than the stage's limit leaves room for.
 */
export function backlogOf(policy: Policy, input: PolicyInput, { want, merges, base }: BacklogWants): NodeItem[] {
  const room = Math.max(0, input.stage.maxNodes - input.dispatched);
  const first = [...addedItems(input.wishes, input.tried), ...mergeItems(merges, input)].slice(0, Math.min(want, room));
  const held =
    base === null ? input : { ...input, wishes: { ...input.wishes, pinned: input.wishes.pinned ?? NodeId.parse(base) } };
  if (first.length === 0) return policy.backlog(held, want);
  return [...first, ...policy.backlog(asIfGiven(held, first), want - first.length)];
}

/** Nodes that one merge unites at most; their ids must fit into the target of an item. */
const MOST_UNITED = 20;

/** The merges that were not given out before, of good nodes that are in the search. */
function mergeItems(merges: readonly Merge[], { journal, tried }: PolicyInput): NodeItem[] {
  return merges.flatMap(({ base, nodes }) => {
    const [from, ...parts] = [base, ...nodes].map((id) => findNode(journal, NodeId.parse(id)));
    if (from === undefined || parts.some((part) => part?.status !== 'good')) return [];
    const item = nodeItem('merge', from.id, nodes.slice(0, MOST_UNITED).join('+'), 0);
    return timesOf(tried, workKeyOf(item)) === 0 ? [item] : [];
  });
}

/** So that the policy offers no work that is offered already, nor more than there is room for. */
function asIfGiven(input: PolicyInput, items: readonly NodeItem[]): PolicyInput {
  return {
    ...input,
    inFlight: [...input.inFlight, ...items],
    tried: items.reduce((tried, item) => withOneMore(tried, workKeyOf(item)), input.tried),
    dispatched: input.dispatched + items.length,
  };
}
