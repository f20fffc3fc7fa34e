import { z } from 'zod';
import { NodeId } from '../domain/ids.ts';
import { nodeItem, Operator, type NodeItem } from '../domain/item.ts';
import { findNode, type StageJournal } from '../domain/journal.ts';
import type { GoodStageNode } from '../domain/node.ts';
import type { StageDefinition } from '../domain/stage.ts';
import { StrategyChoice } from '../domain/steering.ts';
import { timesOf, type Tally } from './tally.ts';
import { workKey } from './work.ts';

/**
 * What a person asked of a stage while it runs, as far as it lasts: plain data that the stage's state carries
 * and that the policy reads.
 */

const AddedWork = z.strictObject({ operator: Operator, parent: NodeId.nullable(), target: z.string().max(170).nullable() });
/** Work that a person added: an item without its ordinal. */
export type AddedWork = z.infer<typeof AddedWork>;

/** Items that may wait in the list of added ones. */
export const MOST_ADDED = 100;

/** What a person asked of a stage. A field that a state of an earlier release lacks is as if nothing was asked. */
export const Wishes = z.strictObject({
  /** The node that is built on as if it were the best. */
  pinned: NodeId.nullable().default(null),
  /** Work that is given out before all other, in this order. */
  added: z.array(AddedWork).max(MOST_ADDED).default([]),
  /** The strategy in place of the plan's. */
  strategy: StrategyChoice.nullable().default(null),
  /** The stage's node limit in place of the plan's. */
  maxNodes: z.number().int().min(0).nullable().default(null),
  /** Nodes that the run's budget left when the stage began; `null` without a budget. */
  budgetLeft: z.number().int().min(0).nullable().default(null),
});
export type Wishes = z.infer<typeof Wishes>;

/** Nothing asked but for these limits. */
export function noWishes(limits: { maxNodes?: number | null; budgetLeft?: number | null } = {}): Wishes {
  return { pinned: null, added: [], strategy: null, maxNodes: limits.maxNodes ?? null, budgetLeft: limits.budgetLeft ?? null };
}

/** The pinned node where there is one that can be built on. */
export function pinnedNode(journal: StageJournal, { pinned }: Pick<Wishes, 'pinned'>): GoodStageNode | undefined {
  const node = findNode(journal, pinned);
  return node?.status === 'good' ? node : undefined;
}

/** A stage's definition with the limit that is in force: its own or the one set, and what the run's budget left. */
export function limitedStage(stage: StageDefinition, { maxNodes, budgetLeft }: Wishes): StageDefinition {
  return { ...stage, maxNodes: Math.min(maxNodes ?? stage.maxNodes, budgetLeft ?? Infinity) };
}

/** The added work as items, with the ordinals that `tried` leaves. */
export function addedItems({ added }: Pick<Wishes, 'added'>, tried: Tally): NodeItem[] {
  return added.map((work) => nodeItem(work.operator, work.parent, work.target, timesOf(tried, keyOf(work))));
}

/** With added work at the end of the list. */
export function withAdded(wishes: Wishes, work: AddedWork): Wishes {
  return { ...wishes, added: [...wishes.added, work] };
}

/** After work was given out: what was added of it is done with. */
export function withoutAdded(wishes: Wishes, given: AddedWork): Wishes {
  if (wishes.added.length === 0) return wishes;
  return { ...wishes, added: wishes.added.filter((work) => keyOf(work) !== keyOf(given)) };
}

/** Without what was asked about these nodes: a pin on one, and work that was added to one. */
export function withoutNodes(wishes: Wishes, gone: ReadonlySet<NodeId>): Wishes {
  return {
    ...wishes,
    pinned: wishes.pinned !== null && gone.has(wishes.pinned) ? null : wishes.pinned,
    added: wishes.added.filter(({ parent }) => parent === null || !gone.has(parent)),
  };
}

/** The work key of added work. */
export function keyOf({ operator, parent, target }: AddedWork): string {
  return workKey(operator, parent, target);
}
