import type { EvaluationRecord } from '../domain/evaluation.ts';
import type { NodeId } from '../domain/ids.ts';
import { metricOf, type Node } from '../domain/node.ts';
import { estimateOf } from './held-against.ts';
import type { RunRecords, StageRecords } from './read-journal.ts';
import type { Change, Score, TreeRow } from './schema.ts';

/** The tree of a stage as rows in the order of printing, made without recursion: a chain may be thousands long. */

interface Entry {
  readonly node: Node;
  readonly plan: string;
  readonly evaluations: readonly EvaluationRecord[];
}

/** The rows of a stage's tree, the carried node first; a node whose parent the stage does not know is a root. */
export function treeRows(records: RunRecords, stage: StageRecords, best: NodeId | null): TreeRow[] {
  const entries = entriesOf(stage);
  const known = new Set(entries.map(({ node }) => node.id));
  const children = Map.groupBy(entries, ({ node }) => node.parent);
  const isRoot = ({ node }: Entry): boolean => node.parent === null || !known.has(node.parent) || node.id === stage.base?.node.id;
  const rows: TreeRow[] = [];
  const seen = new Set<NodeId>();
  // What hangs on no root (a circle of parents, impossible by J3) is printed at the end rather than lost.
  const open = [...entries.filter(isRoot), ...entries.filter((entry) => !isRoot(entry))]
    .map((entry) => ({ entry, depth: 0 }))
    .reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { entry, depth } = next;
    if (seen.has(entry.node.id)) continue;
    seen.add(entry.node.id);
    rows.push(rowOf(records, stage, { entry, depth, best: entry.node.id === best }));
    const below = (children.get(entry.node.id) ?? []).map((child) => ({ entry: child, depth: depth + 1 }));
    open.push(...below.reverse());
  }
  return rows;
}

/** What a node changed against its parent, or against the task's defaults where it has none. */
export function changesOf(records: RunRecords, node: Node): Change[] {
  const parent = node.parent === null ? null : records.nodes.get(node.parent);
  return node.changed.map((key) => ({
    key,
    from: parent === undefined ? null : records.valueOf(parent, key),
    to: records.valueOf(node, key),
  }));
}

/** The values of a node by dataset; of a buggy one those that were measured before it failed. */
export function scoresOf(node: Node, evaluations: readonly EvaluationRecord[]): Score[] {
  if (node.status === 'good') return Object.entries(node.scores).map(([dataset, value]) => ({ dataset, value }));
  return evaluations.flatMap(({ dataset, result }) =>
    result.status === 'finished' && result.value !== null ? [{ dataset, value: result.value }] : [],
  );
}

/** What the report says of every node, wherever it stands. */
export function nodeFacts(records: RunRecords, node: Node) {
  return {
    node: node.id,
    madeIn: node.stage,
    operator: node.operator,
    label: node.label,
    parent: node.parent,
    changes: changesOf(records, node),
  };
}

/** A sum that stays a number, however large its parts. */
export function total(parts: readonly number[]): number {
  return Math.min(
    parts.reduce((sum, part) => sum + part, 0),
    Number.MAX_VALUE,
  );
}

/** Device time of evaluations that were run, milliseconds. */
export function deviceTime(evaluations: readonly EvaluationRecord[]): number {
  return total(evaluations.map(({ result }) => (result.cached ? 0 : result.durationMs)));
}

function entriesOf(stage: StageRecords): Entry[] {
  const own = stage.nodes.map(({ node, plan, evaluations }) => ({ node, plan, evaluations }));
  return stage.base === null ? own : [{ node: stage.base.node, plan: '', evaluations: stage.base.evaluations }, ...own];
}

function rowOf(records: RunRecords, stage: StageRecords, at: { entry: Entry; depth: number; best: boolean }): TreeRow {
  const { node, plan, evaluations } = at.entry;
  const carried = node.id === stage.base?.node.id;
  return {
    ...nodeFacts(records, node),
    depth: at.depth,
    carried,
    best: at.best,
    state: node.status,
    ...(stage.pruned.has(node.id) && { pruned: true }),
    plan,
    metric: metricOf(node),
    scores: scoresOf(node, evaluations),
    estimate: estimateOf(records.replicasOf(node.id, stage.definition.datasets)),
    failure: node.status === 'buggy' ? { reason: node.reason, message: node.message } : null,
    durationMs: deviceTime(evaluations),
    folder: `${stage.definition.name}/${node.id}`,
  };
}
