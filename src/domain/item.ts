import { z } from 'zod';
import { ItemId, NodeId } from './ids.ts';

/**
 * An item is one thing that a worker could do next: make a node, replicate one on another seed, or plot
 * one. Its id says what it is, so equal work has an equal id and is never given out twice.
 */

/** What makes a node. */
export const Operator = z.enum(['draft', 'debug', 'improve', 'tune', 'ablate', 'merge']);
export type Operator = z.infer<typeof Operator>;

/** One thing a worker could do next. */
export const Item = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('node'),
    id: ItemId,
    operator: Operator,
    /** The node it starts from; `null` for a draft. */
    parent: NodeId.nullable(),
    /** The component key that it is about (tune, ablate; `a+b` for a pair), or the nodes to unite (`n4+n7`); `null` where the proposer chooses. */
    target: z.string().max(170).nullable(),
    /** Counts equal work (same operator, parent and target) from 0. */
    ordinal: z.number().int().min(0),
  }),
  z.strictObject({
    kind: z.literal('replicate'),
    id: ItemId,
    node: NodeId,
    /** Which of the run's replication seeds, from 0. */
    replica: z.number().int().min(0).max(999),
  }),
  z.strictObject({ kind: z.literal('plot'), id: ItemId, node: NodeId }),
]);
export type Item = z.infer<typeof Item>;
/** An item that makes a node. */
export type NodeItem = Extract<Item, { kind: 'node' }>;

/** An item that makes a node. */
export function nodeItem(operator: Operator, parent: NodeId | null, target: string | null, ordinal: number): NodeItem {
  const words = [operator, ...(parent === null ? [] : [parent]), ...(target === null ? [] : [target])];
  return { kind: 'node', id: ItemId.parse(`${words.join(':')}#${ordinal}`), operator, parent, target, ordinal };
}

/** An item that evaluates a node again on replication seed number `replica`. */
export function replicateItem(node: NodeId, replica: number): Item {
  return { kind: 'replicate', id: ItemId.parse(`replicate:${node}#${replica}`), node, replica };
}

/** An item that draws the figures of a node. */
export function plotItem(node: NodeId): Item {
  return { kind: 'plot', id: ItemId.parse(`plot:${node}`), node };
}
