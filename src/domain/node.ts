import { z } from 'zod';
import { ComponentKey } from './experiment.ts';
import { FailureReason } from './failure.ts';
import { ItemId, NodeId, Ref, StageName } from './ids.ts';
import { Operator } from './item.ts';
import { MetricValue } from './metric.ts';

/**
 * A node is one candidate of the search tree. This is its compact form, as journal events and messages have it;
 * the full record (program, parameters, logs, figures) lies in the run's folder under the node's id.
 */

const core = {
  id: NodeId,
  stage: StageName,
  operator: Operator,
  /** The node that it was made from; `null` for a root. */
  parent: NodeId.nullable(),
  /** The item that made it. */
  item: ItemId,
  /** What it is about, kept through debug: the family of a draft, the key of a tuning or an ablation. */
  label: z.string().max(200),
  /** The component keys that differ from its parent's, sorted. */
  changed: z.array(ComponentKey).max(200),
  /** Debug steps in a row up to this node; 0 for a node that is no debug. */
  debugDepth: z.number().int().min(0),
};

/** A node with a metric. */
export const GoodNode = z.strictObject({
  status: z.literal('good'),
  ...core,
  experiment: Ref,
  /** The metric over the stage's datasets on the search seed. */
  metric: MetricValue,
  /** The value on each dataset. */
  scores: z.record(z.string(), MetricValue),
});
export type GoodNode = z.infer<typeof GoodNode>;

/** A node without a metric, and why. */
export const BuggyNode = z.strictObject({
  status: z.literal('buggy'),
  ...core,
  /** `null` when it failed before it was proposed. */
  experiment: Ref.nullable(),
  reason: FailureReason,
  message: z.string().max(600),
});
export type BuggyNode = z.infer<typeof BuggyNode>;

/** A candidate: good with a metric, or buggy with a reason from the closed list. */
export const Node = z.discriminatedUnion('status', [GoodNode, BuggyNode]);
export type Node = z.infer<typeof Node>;

const decisive = { id: core.id, operator: core.operator, parent: core.parent, label: core.label, debugDepth: core.debugDepth };

/** A good node as its stage keeps it. */
export const GoodStageNode = z.strictObject({
  status: z.literal('good'),
  ...decisive,
  experiment: Ref,
  metric: MetricValue,
});
export type GoodStageNode = z.infer<typeof GoodStageNode>;

/** A buggy node as its stage keeps it. */
export const BuggyStageNode = z.strictObject({
  status: z.literal('buggy'),
  ...decisive,
  experiment: Ref.nullable(),
  reason: FailureReason,
});
export type BuggyStageNode = z.infer<typeof BuggyStageNode>;

/** What a stage keeps of each of its nodes: all that decides something, a few dozen bytes. Every `Node` is one. */
export const StageNode = z.discriminatedUnion('status', [GoodStageNode, BuggyStageNode]);
export type StageNode = z.infer<typeof StageNode>;

/** What a stage keeps of a node. */
export function stageNode(node: StageNode): StageNode {
  const { id, operator, parent, label, debugDepth } = node;
  const kept = { id, operator, parent, label, debugDepth };
  return node.status === 'good'
    ? { status: 'good', ...kept, experiment: node.experiment, metric: node.metric }
    : { status: 'buggy', ...kept, experiment: node.experiment, reason: node.reason };
}

/** The metric of a node, `null` for a buggy one. */
export function metricOf(node: StageNode): number | null {
  return node.status === 'good' ? node.metric : null;
}
