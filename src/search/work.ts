import type { Item, NodeItem, Operator } from '../domain/item.ts';
import type { NodeId } from '../domain/ids.ts';

/** What equal work has in common: operator, parent and target. The ordinal counts it. */
export function workKey(operator: Operator, parent: NodeId | null, target: string | null): string {
  return `${operator}:${parent ?? ''}:${target ?? ''}`;
}

/** The work key of an item that makes a node. */
export function workKeyOf(item: NodeItem): string {
  return workKey(item.operator, item.parent, item.target);
}

/** The items that make nodes. */
export function nodeItems(items: readonly Item[]): NodeItem[] {
  return items.filter((item) => item.kind === 'node');
}
