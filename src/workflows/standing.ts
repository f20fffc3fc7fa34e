import type { Item } from '../domain/item.ts';
import { bestNode } from '../domain/journal.ts';
import type { GoodStageNode } from '../domain/node.ts';
import { decideStaleness } from '../search/staleness.ts';
import { pinnedNode } from '../search/wishes.ts';
import type { StageRuntime } from './stage-runtime.ts';

/** How an edit that is being made stands to what its stage found meanwhile. */
export type Standing =
  | { readonly decision: 'accept' }
  | {
      readonly decision: 'rebase' | 'discard';
      /** Better nodes since the item was given out. */
      readonly lag: number;
      /** The best node now. */
      readonly head: GoodStageNode;
    };

/**
 * What becomes of the edit of an item that was given out when the stage had seen `since` best nodes. Only what
 * starts from a node because it is the best can be stale: not a draft, a repair, an ablation or a merge, and
 * nothing while a person has pinned a node or the strategy holds one. At a barrier nothing is found between plan and proposal.
 */
export function standingOf({ plan, state, strategy }: StageRuntime, item: Item, since: number): Standing {
  const isHeld = pinnedNode(state.journal, state.wishes) !== undefined || strategy.base(state.strategy) !== null;
  const isOfBest = item.kind === 'node' && (item.operator === 'improve' || item.operator === 'tune');
  const head = bestNode(state.journal, plan.metric.direction);
  if (!isOfBest || isHeld || head === undefined || head.id === item.parent) return { decision: 'accept' };
  const lag = state.outcomes.committed - since;
  const decision = decideStaleness(plan.async.staleness, { lag, tolerance: plan.async.tolerance, isBreaking: false });
  return decision === 'accept' ? { decision } : { decision, lag, head };
}
