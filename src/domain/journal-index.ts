import type { NodeId, Ref } from './ids.ts';
import { compareValues, isBetter, type Direction } from './metric.ts';
import { metricOf, type BuggyStageNode, type GoodStageNode, type Node, type StageNode } from './node.ts';

/**
 * What is asked of a stage's journal at every plan, so that the answer costs the same after ten nodes and after
 * ten thousand. The index of a journal follows from its nodes alone. It is made when it is first asked for, and
 * handed on to the journal with one more node; a journal that has handed its index on gets a new one.
 */

/** The nodes of a stage. */
export interface IndexedJournal {
  readonly base: Node | null;
  readonly nodes: readonly StageNode[];
}

/** What is known of them. */
export interface JournalIndex {
  readonly base: StageNode | null;
  /** Nodes of the stage's own that it knows. */
  size: number;
  readonly byId: Map<NodeId, StageNode>;
  readonly experiments: Set<Ref>;
  readonly branches: Map<NodeId, NodeId>;
  readonly parents: Set<NodeId>;
  /** Buggy nodes without children. */
  readonly leaves: Map<NodeId, BuggyStageNode>;
  readonly rankings: Map<Direction, Ranking>;
  good: number;
  drafts: number;
  /** The first good node that repairs another. */
  firstRepair: GoodStageNode | undefined;
}

/** The good nodes by value. */
export interface Ranking {
  /** Best first, of equals the earlier first; the base among them. */
  readonly ranked: GoodStageNode[];
  /** The branch of each of them, in the same order. */
  readonly branches: NodeId[];
  /** Nodes of the stage's own since the best one. */
  sinceBest: number;
}

const indices = new WeakMap<IndexedJournal['nodes'], JournalIndex>();

/** The index of a journal. */
export function indexOf(journal: IndexedJournal): JournalIndex {
  const known = indices.get(journal.nodes);
  if (known?.base === journal.base && known.size === journal.nodes.length) return known;
  const made = emptyIndex(journal.base);
  for (const node of journal.nodes) addOwn(made, node);
  indices.set(journal.nodes, made);
  return made;
}

/** The good nodes of a journal by value. */
export function rankingOf(journal: IndexedJournal, direction: Direction): Ranking {
  const index = indexOf(journal);
  const known = index.rankings.get(direction);
  if (known !== undefined) return known;
  const base = index.base?.status === 'good' ? [index.base] : [];
  const made: Ranking = { ranked: base, branches: base.map(({ id }) => id), sinceBest: 0 };
  for (const node of journal.nodes) rank(index, made, { node, direction });
  index.rankings.set(direction, made);
  return made;
}

/** Hands the index of `from` on to `to`, which has `node` as its one node more. */
export function passOnIndex(from: IndexedJournal, to: IndexedJournal, node: StageNode): void {
  const index = indices.get(from.nodes);
  if (index?.base !== to.base || index.size + 1 !== to.nodes.length) return;
  indices.delete(from.nodes);
  addOwn(index, node);
  for (const [direction, ranking] of index.rankings) rank(index, ranking, { node, direction });
  indices.set(to.nodes, index);
}

/** The place of a node among others that are ordered best first: behind its equals. */
export function placeOf(ordered: readonly GoodStageNode[], { metric }: GoodStageNode, direction: Direction): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareValues(direction, metric, ordered[middle]?.metric ?? null) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function emptyIndex(base: StageNode | null): JournalIndex {
  const index: JournalIndex = {
    base,
    size: 0,
    byId: new Map(),
    experiments: new Set(),
    branches: new Map(),
    parents: new Set(),
    leaves: new Map(),
    rankings: new Map(),
    good: 0,
    drafts: 0,
    firstRepair: undefined,
  };
  if (base !== null) addAny(index, base, base.id);
  return index;
}

function addOwn(index: JournalIndex, node: StageNode): void {
  const { parent } = node;
  const branch = parent === null || parent === index.base?.id ? undefined : index.branches.get(parent);
  addAny(index, node, branch ?? node.id);
  index.size++;
  if (node.status === 'buggy') return;
  index.good++;
  if (node.operator === 'debug') index.firstRepair ??= node;
}

function addAny(index: JournalIndex, node: StageNode, branch: NodeId): void {
  index.byId.set(node.id, node);
  index.branches.set(node.id, branch);
  if (node.experiment !== null) index.experiments.add(node.experiment);
  if (node.operator === 'draft') index.drafts++;
  if (node.parent !== null) {
    index.parents.add(node.parent);
    index.leaves.delete(node.parent);
  }
  if (node.status === 'buggy' && !index.parents.has(node.id)) index.leaves.set(node.id, node);
}

function rank(index: JournalIndex, ranking: Ranking, { node, direction }: { node: StageNode; direction: Direction }): void {
  const improves = isBetter(direction, metricOf(node), ranking.ranked[0]?.metric ?? null);
  ranking.sinceBest = improves ? 0 : ranking.sinceBest + 1;
  if (node.status === 'buggy') return;
  const place = placeOf(ranking.ranked, node, direction);
  ranking.ranked.splice(place, 0, node);
  ranking.branches.splice(place, 0, index.branches.get(node.id) ?? node.id);
}
