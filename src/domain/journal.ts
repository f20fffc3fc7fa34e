import { z } from 'zod';
import { EvaluationRecord } from './evaluation.ts';
import { DropReason } from './failure.ts';
import { ItemId, NodeId, StageName, type Ref } from './ids.ts';
import { nodeItem } from './item.ts';
import { indexOf, passOnIndex, placeOf, rankingOf, type IndexedJournal } from './journal-index.ts';
import { MetricValue, type Direction } from './metric.ts';
import { Node, stageNode, type BuggyStageNode, type GoodNode, type GoodStageNode, type StageNode } from './node.ts';
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

/** One side of a comparison: the node that a stage handed on, as another stage evaluated it on its datasets. */
export const Counterpart = z.strictObject({
  node: NodeId,
  /** `null` where it failed. */
  metric: MetricValue.nullable(),
  evaluations: z.array(EvaluationRecord).max(50),
});
export type Counterpart = z.infer<typeof Counterpart>;

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
  z.strictObject({
    kind: z.literal('steered'),
    ...base,
    message: z.string().max(300),
    /** The node whose subtree a person pruned with it. */
    pruned: NodeId.exactOptional(),
  }),
  /** Why a stage has no good node: which stage before it is to blame, and its node held against the one before it. */
  z.strictObject({
    kind: z.literal('blamed'),
    ...base,
    blamed: StageName,
    /** What the blamed stage started from, evaluated in this stage; `null` where it started from nothing. */
    old: Counterpart.nullable(),
    /** What it made of that. */
    made: Counterpart,
  }),
  z.strictObject({
    kind: z.literal('stage_finished'),
    ...base,
    reason: CompletionReason,
    text: z.string().max(300),
    best: NodeId.nullable(),
  }),
]);
export type JournalEvent = z.infer<typeof JournalEvent>;

/** The journal that a stage's workflow keeps: what decides something, in the order of the events. */
export interface StageJournal extends IndexedJournal {
  /** The carried node as evaluated in this stage; `null` for a stage that starts from nothing. */
  readonly base: Node | null;
  /** The stage's own nodes, in the order in which their results were applied. */
  readonly nodes: readonly StageNode[];
  /** The records of the best of them, best first, at most {@link MOST_RECORDS}; all others lie in the run's folder. */
  readonly records: readonly GoodNode[];
  /** Metrics of finished replicas by node and number of the replica; `null` for a failed one. */
  readonly replicas: Readonly<Record<NodeId, Readonly<Record<string, number | null>>>>;
  /** Nodes whose plot was tried. */
  readonly plotted: readonly NodeId[];
}

/** Records of good nodes that a stage keeps; so many of its best can be taken out of the search one after the other. */
export const MOST_RECORDS = 20;

/** A stage's journal before anything happened. */
export function emptyJournal(): StageJournal {
  return { base: null, nodes: [], records: [], replicas: {}, plotted: [] };
}

/** The journal with one more node. */
export function journalWithNode(journal: StageJournal, node: Node, direction: Direction): StageJournal {
  const kept = stageNode(node);
  const grown = { ...journal, nodes: [...journal.nodes, kept], records: withRecord(journal.records, node, direction) };
  passOnIndex(journal, grown, kept);
  return grown;
}

/** The records that a stage with these nodes keeps. */
export function bestRecords(nodes: readonly Node[], direction: Direction): readonly GoodNode[] {
  return nodes.reduce<readonly GoodNode[]>((records, node) => withRecord(records, node, direction), []);
}

function withRecord(records: readonly GoodNode[], node: Node, direction: Direction): readonly GoodNode[] {
  if (node.status === 'buggy') return records;
  const at = placeOf(records, node, direction);
  return at >= MOST_RECORDS ? records : records.toSpliced(at, 0, node).slice(0, MOST_RECORDS);
}

/** All nodes of a stage, the base first. */
export function allNodes(journal: StageJournal): readonly StageNode[] {
  return journal.base === null ? journal.nodes : [journal.base, ...journal.nodes];
}

/** The node with this id, `undefined` when the stage has none. */
export function findNode(journal: StageJournal, id: NodeId | null): StageNode | undefined {
  return id === null ? undefined : indexOf(journal).byId.get(id);
}

/** Whether a node of the stage has this experiment. */
export function hasExperiment(journal: StageJournal, experiment: Ref): boolean {
  return indexOf(journal).experiments.has(experiment);
}

/** The good nodes, best first; of equals the earlier first. To be read before the journal grows. */
export function rankedNodes(journal: StageJournal, direction: Direction): readonly GoodStageNode[] {
  return rankingOf(journal, direction).ranked;
}

/** The best node outside these branches that is wanted, `undefined` when there is none. */
export function bestElsewhere(
  journal: StageJournal,
  direction: Direction,
  { taken, isWanted }: { taken: ReadonlySet<NodeId>; isWanted: (node: GoodStageNode) => boolean },
): GoodStageNode | undefined {
  const { ranked, branches } = rankingOf(journal, direction);
  return ranked.find((node, place) => !taken.has(branches[place] ?? node.id) && isWanted(node));
}

/** The best node of a stage, `undefined` when there is no good one. */
export function bestNode(journal: StageJournal, direction: Direction): GoodStageNode | undefined {
  return rankedNodes(journal, direction)[0];
}

/**
 * The record of a good node of the stage. Of one that is not among the best ones what the stage has not kept is
 * left empty: the keys that it changed and its values on each dataset.
 */
export function recordOf(journal: StageJournal, node: GoodStageNode, stage: StageName): GoodNode {
  if (journal.base?.status === 'good' && journal.base.id === node.id) return journal.base;
  const kept = journal.records.find(({ id }) => id === node.id);
  return kept ?? { ...node, stage, item: nodeItem(node.operator, node.parent, null, 0).id, changed: [], scores: {} };
}

/** How many good nodes of its own the stage has. */
export function goodNodes(journal: StageJournal): number {
  return indexOf(journal).good;
}

/** Drafts among the nodes. */
export function draftsMade(journal: StageJournal): number {
  return indexOf(journal).drafts;
}

/** The first good node of the stage's own that repairs another. */
export function firstRepair(journal: StageJournal): GoodStageNode | undefined {
  return indexOf(journal).firstRepair;
}

/** Nodes of the stage's own since the one that is the best so far, the base included. */
export function nodesSinceBest(journal: StageJournal, direction: Direction): number {
  return rankingOf(journal, direction).sinceBest;
}

/** Buggy nodes without children, in the order of their events: what debug works on. */
export function buggyLeaves(journal: StageJournal): BuggyStageNode[] {
  return [...indexOf(journal).leaves.values()];
}

/**
 * The branch that each node belongs to: its ancestor just below the stage's base, or the root of its tree
 * when it does not descend from the base. The base is a branch of its own. To be read before the journal grows.
 */
export function branchesOf(journal: StageJournal): ReadonlyMap<NodeId, NodeId> {
  return indexOf(journal).branches;
}

/** Debug steps in a row that a child made by `operator` from `parent` would end with. */
export function nextDebugDepth(operator: Node['operator'], parent: Pick<StageNode, 'debugDepth'> | undefined): number {
  return operator === 'debug' ? (parent?.debugDepth ?? 0) + 1 : 0;
}
