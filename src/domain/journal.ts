import { z } from 'zod';
import { EvaluationRecord } from './evaluation.ts';
import { DropReason } from './failure.ts';
import { ItemId, NodeId, StageName } from './ids.ts';
import { compareValues, type Direction } from './metric.ts';
import { metricOf, Node, type BuggyNode, type GoodNode } from './node.ts';
import { CompletionReason } from './stage.ts';

/**
 * The journal: an append-only list of events, numbered without gaps over the whole run. Each event is
 * written to the run's folder once, under its number, and never changed. The tree is folded from it.
 *
 * J1 An event's number is given by the workflow, so writing it twice writes the same file.
 * J2 A node appears once as `node` in the stage that made it; a stage that starts from a carried node
 *    records that node again as `base`, with its values on the stage's datasets.
 * J3 A parent's event has a lower number than its children's.
 */

const base = { seq: z.number().int().min(0), stage: StageName };

/** One entry of the journal. */
export const JournalEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stage_started'), ...base, carried: NodeId.nullable() }),
  z.strictObject({ kind: z.literal('base'), ...base, node: Node, evaluations: z.array(EvaluationRecord).max(50) }),
  z.strictObject({
    kind: z.literal('node'),
    ...base,
    node: Node,
    plan: z.string().max(600),
    evaluations: z.array(EvaluationRecord).max(50),
  }),
  z.strictObject({
    kind: z.literal('replica'),
    ...base,
    node: NodeId,
    replica: z.number().int().min(0),
    /** The metric over the stage's datasets on this seed; `null` when an evaluation failed. */
    metric: z.number().nullable(),
    evaluations: z.array(EvaluationRecord).max(50),
  }),
  z.strictObject({ kind: z.literal('plot'), ...base, node: NodeId, evaluations: z.array(EvaluationRecord).max(50) }),
  z.strictObject({ kind: z.literal('dropped'), ...base, item: ItemId, reason: DropReason, message: z.string().max(300) }),
  z.strictObject({ kind: z.literal('steered'), ...base, message: z.string().max(300) }),
  z.strictObject({
    kind: z.literal('stage_finished'),
    ...base,
    reason: CompletionReason,
    text: z.string().max(300),
    best: NodeId.nullable(),
  }),
]);
export type JournalEvent = z.infer<typeof JournalEvent>;

/** The compact journal that a stage's workflow carries: its nodes in the order of their events, base first. */
export const StageJournal = z.strictObject({
  /** The carried node as evaluated in this stage; `null` for a stage that starts from nothing. */
  base: Node.nullable(),
  /** The stage's own nodes, in the order in which their results were applied. */
  nodes: z.array(Node),
  /** Metrics of finished replicas by node, in order of the replica; `null` for a failed one. */
  replicas: z.record(NodeId, z.record(z.string(), z.number().nullable())),
  /** Nodes whose plot was tried. */
  plotted: z.array(NodeId),
});
export type StageJournal = z.infer<typeof StageJournal>;

/** A stage's journal before anything happened. */
export function emptyJournal(): StageJournal {
  return { base: null, nodes: [], replicas: {}, plotted: [] };
}

/** All nodes of a stage, the base first. */
export function allNodes(journal: StageJournal): Node[] {
  return journal.base === null ? journal.nodes : [journal.base, ...journal.nodes];
}

/** The node with this id, `undefined` when the stage has none. */
export function findNode(journal: StageJournal, id: NodeId | null): Node | undefined {
  return id === null ? undefined : allNodes(journal).find((node) => node.id === id);
}

/** The good nodes, best first; of equals the earlier first. */
export function rankedNodes(journal: StageJournal, direction: Direction): GoodNode[] {
  const good = allNodes(journal).filter((node) => node.status === 'good');
  return good.sort((a, b) => compareValues(direction, metricOf(a), metricOf(b)));
}

/** The best node of a stage, `undefined` when there is no good one. */
export function bestNode(journal: StageJournal, direction: Direction): GoodNode | undefined {
  return rankedNodes(journal, direction)[0];
}

/** Buggy nodes without children: what debug works on. */
export function buggyLeaves(journal: StageJournal): BuggyNode[] {
  const parents = new Set(allNodes(journal).map((node) => node.parent));
  return allNodes(journal).filter((node): node is BuggyNode => node.status === 'buggy' && !parents.has(node.id));
}

/**
 * The branch that each node belongs to: its ancestor just below the stage's base, or the root of its tree
 * when it does not descend from the base. The base is a branch of its own. One pass, as parents come first (J3).
 */
export function branchesOf(journal: StageJournal): ReadonlyMap<NodeId, NodeId> {
  const branches = new Map<NodeId, NodeId>();
  for (const { id, parent } of allNodes(journal)) {
    const startsBranch = parent === null || parent === journal.base?.id;
    branches.set(id, startsBranch ? id : (branches.get(parent) ?? id));
  }
  return branches;
}

/** Debug steps in a row that a child made by `operator` from `parent` would end with. */
export function nextDebugDepth(operator: Node['operator'], parent: Node | undefined): number {
  return operator === 'debug' ? (parent?.debugDepth ?? 0) + 1 : 0;
}
