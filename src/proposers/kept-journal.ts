import type { NodeId } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';
import type { Node } from '../domain/node.ts';

/**
 * What proposers ask of a journal, kept so that an answer costs the same whatever its length: the nodes and when
 * each was entered, and which items are settled. Asked for a moment in the past (`before`, the number of the next
 * event then), it answers as it was.
 */
export class KeptJournal {
  /** All events with a lower number are entered, but for those that were not there. */
  next = 0;
  private readonly entries: { readonly seq: number; readonly node: Node }[] = [];
  private readonly byNode = new Map<NodeId, { readonly seq: number; readonly node: Node }[]>();
  private readonly settled = new Map<string, { readonly seq: number }[]>();

  /** Nodes that it holds. */
  get size(): number {
    return this.entries.length;
  }

  /** Enters an event; to be called in the order of their numbers. */
  enter(event: JournalEvent): void {
    const { seq, stage } = event;
    this.next = seq + 1;
    if (event.kind === 'node' || event.kind === 'base') {
      const entry = { seq, node: event.node };
      this.entries.push(entry);
      append(this.byNode, event.node.id, entry);
    }
    if (event.kind === 'node') append(this.settled, workOf(stage, event.node.item), { seq });
    if (event.kind === 'dropped') append(this.settled, workOf(stage, event.item), { seq });
  }

  /** A node with its values as of then; a carried node has those of its latest stage. */
  node(id: NodeId, before: number): Node | undefined {
    return this.byNode.get(id)?.findLast(({ seq }) => seq < before)?.node;
  }

  /** The latest nodes of then, at most `count`, oldest first, each once. */
  latest(count: number, before: number): Node[] {
    const found = new Map<NodeId, Node>();
    for (let at = placeOf(this.entries, before) - 1; at >= 0 && found.size < count; at--) {
      const node = this.entries[at]?.node;
      if (node !== undefined && !found.has(node.id)) found.set(node.id, node);
    }
    return [...found.values()].reverse();
  }

  /** How many items of the same work in a stage had an outcome then; an item's id is that of its work and a number. */
  settledOf(stage: string, item: string, before: number): number {
    return placeOf(this.settled.get(workOf(stage, item)) ?? [], before);
  }
}

/** The place of the first entry that is not before this number. */
function placeOf(entries: readonly { readonly seq: number }[], before: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? Infinity) < before) low = middle + 1;
    else high = middle;
  }
  return low;
}

function workOf(stage: string, item: string): string {
  return `${stage} ${item.slice(0, item.lastIndexOf('#'))}`;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
