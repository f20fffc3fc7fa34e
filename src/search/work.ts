import type { Item, NodeItem, Operator } from '../domain/item.ts';
import type { NodeId } from '../domain/ids.ts';

/** What equal work has in common: operator, parent and target. The ordinal counts it. */
export function workKey(operator: Operator, parent: NodeId | null, target: string | null): string {
  return `${operator}:${parent ?? ''}:${target ?? ''}`;
}

/** What a work key says beside the node that the work starts from: operator and target. */
export function kindOfWork(work: string): string {
  const [operator = '', , ...target] = work.split(':');
  return `${operator}:${target.join(':')}`;
}

/** The node that work starts from, as its key says it; `null` for none. */
export function parentOfWork(work: string): string | null {
  return work.split(':')[1] || null;
}

/** The key of the work of this kind that starts from a node. */
export function workOfKind(kind: string, parent: NodeId | null): string {
  const at = kind.indexOf(':');
  return `${kind.slice(0, at)}:${parent ?? ''}${kind.slice(at)}`;
}

/** The work key of an item that makes a node. */
export function workKeyOf(item: NodeItem): string {
  return workKey(item.operator, item.parent, item.target);
}

/** The items that make nodes. */
export function nodeItems(items: readonly Item[]): NodeItem[] {
  return items.filter((item) => item.kind === 'node');
}

interface Lookups {
  readonly size: number;
  readonly all: ReadonlySet<string>;
  readonly parents: Map<Operator, ReadonlySet<string>>;
}

const lookups = new WeakMap<readonly string[], Lookups>();

/** A list of works as a set, made once for each list. */
export function workSet(works: readonly string[]): ReadonlySet<string> {
  return lookupsOf(works).all;
}

/** The nodes that the works of an operator in a list start from, made once for each list. */
export function parentsOfWork(operator: Operator, works: readonly string[]): ReadonlySet<string> {
  const { parents } = lookupsOf(works);
  const known = parents.get(operator);
  if (known !== undefined) return known;
  const made = new Set(works.flatMap((work) => (work.startsWith(`${operator}:`) ? (parentOfWork(work) ?? []) : [])));
  parents.set(operator, made);
  return made;
}

function lookupsOf(works: readonly string[]): Lookups {
  const known = lookups.get(works);
  if (known?.size === works.length) return known;
  const made = { size: works.length, all: new Set(works), parents: new Map() };
  lookups.set(works, made);
  return made;
}
