import type { NodeItem } from '../domain/item.ts';
import type { Policy, PolicyInput } from './policy.ts';
import { withOneMore } from './tally.ts';
import { addedItems } from './wishes.ts';
import { workKeyOf } from './work.ts';

/**
 * The backlog of a stage: what a person added, in that order, and then what the policy wants. At most `want`
 * items and no more than the stage's limit leaves room for.
 */
export function backlogOf(policy: Policy, input: PolicyInput, want: number): NodeItem[] {
  const room = Math.max(0, input.stage.maxNodes - input.dispatched);
  const added = addedItems(input.wishes, input.tried).slice(0, Math.min(want, room));
  if (added.length === 0) return policy.backlog(input, want);
  return [...added, ...policy.backlog(asIfGiven(input, added), want - added.length)];
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
