import type { NodeId } from '../domain/ids.ts';
import { allNodes, type StageJournal } from '../domain/journal.ts';
import type { StageNode } from '../domain/node.ts';
import type { StageState } from './stage-state.ts';
import { withoutNodes } from './wishes.ts';

/** Taking a subtree out of the search: to the stage its nodes are buggy, pruned, whatever they were before. */

/** A node with all that descends from it. One pass, as parents come first (J3). */
export function subtreeOf(journal: StageJournal, root: NodeId): ReadonlySet<NodeId> {
  const subtree = new Set([root]);
  for (const { id, parent } of allNodes(journal)) if (parent !== null && subtree.has(parent)) subtree.add(id);
  return subtree;
}

/**
 * The state without a subtree, which still counts against the stage's limit and its number of drafts. Nothing is
 * built on it or repaired in it, none of it is best, and what a person asked about it is dropped. The base stays.
 */
export function withPruned(state: StageState, root: NodeId): StageState {
  const gone = subtreeOf(state.journal, root);
  const nodes = state.journal.nodes.map((node) => (gone.has(node.id) ? prunedNode(node) : node));
  const records = state.journal.records.filter(({ id }) => !gone.has(id));
  return { ...state, journal: { ...state.journal, nodes, records }, wishes: withoutNodes(state.wishes, gone) };
}

/** Whether a node of the stage was pruned. */
export function isPruned(node: StageNode | undefined): boolean {
  return node?.status === 'buggy' && node.reason === 'pruned';
}

function prunedNode({ id, operator, parent, label, debugDepth, experiment }: StageNode): StageNode {
  return { status: 'buggy', id, operator, parent, label, debugDepth, experiment, reason: 'pruned' };
}
