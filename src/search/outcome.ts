import { z } from 'zod';
import { EvaluationRecord } from '../domain/evaluation.ts';
import { DropReason } from '../domain/failure.ts';
import type { NodeId, Ref, StageName } from '../domain/ids.ts';
import { ItemId, NodeId as NodeIdSchema } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import { nextDebugDepth } from '../domain/journal.ts';
import { aggregate, type MetricSpec } from '../domain/metric.ts';
import { Node, type GoodNode, type StageNode } from '../domain/node.ts';

/** What became of an item, before it is numbered and entered in the journal. */
export const ItemOutcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('node'), node: Node, plan: z.string(), evaluations: z.array(EvaluationRecord) }),
  z.strictObject({ kind: z.literal('base'), node: Node, evaluations: z.array(EvaluationRecord) }),
  z.strictObject({ kind: z.literal('dropped'), item: ItemId, reason: DropReason, message: z.string() }),
  z.strictObject({
    kind: z.literal('replica'),
    node: NodeIdSchema,
    replica: z.number().int(),
    metric: z.number().nullable(),
    evaluations: z.array(EvaluationRecord),
  }),
  z.strictObject({ kind: z.literal('plot'), node: NodeIdSchema, evaluations: z.array(EvaluationRecord) }),
]);
export type ItemOutcome = z.infer<typeof ItemOutcome>;

/** What is known of a node before its evaluations; without an experiment until it was proposed. */
export interface NodeDraft {
  readonly id: NodeId;
  readonly stage: StageName;
  readonly item: NodeItem;
  /** The node that it is made from: the item's parent, or a better one that its edit was put on. */
  readonly parent: StageNode | undefined;
  readonly label: string;
  readonly changed: readonly string[];
}

/** The fields that a node has whatever became of it. */
export type NodeCore = Omit<GoodNode, 'status' | 'experiment' | 'metric' | 'scores'>;

/** The core of the node that a draft becomes. */
export function nodeCore(draft: NodeDraft): NodeCore {
  return {
    id: draft.id,
    stage: draft.stage,
    operator: draft.item.operator,
    parent: draft.parent?.id ?? draft.item.parent,
    item: draft.item.id,
    label: draft.label,
    changed: [...draft.changed],
    debugDepth: nextDebugDepth(draft.item.operator, draft.parent),
  };
}

/** The metric over a set of evaluations: `null` when one failed, or none has a value. */
export function overallMetric(spec: MetricSpec, evaluations: readonly EvaluationRecord[]): number | null {
  const values = evaluations.map(({ result }) => (result.status === 'finished' ? result.value : null));
  const found = values.filter((value) => value !== null);
  return found.length < values.length ? null : aggregate(spec.aggregation, found);
}

/** The node that a set of evaluations makes of a proposed experiment: buggy with the first failure, or good with its metric. */
export function judgedNode(
  core: NodeCore & { experiment: Ref },
  spec: MetricSpec,
  evaluations: readonly EvaluationRecord[],
): Node {
  for (const { result } of evaluations) {
    if (result.status === 'failed') return { ...core, status: 'buggy', reason: result.reason, message: result.message };
  }
  const metric = overallMetric(spec, evaluations);
  if (metric === null) return { ...core, status: 'buggy', reason: 'no_result', message: 'no evaluation gave a value' };
  return { ...core, status: 'good', metric, scores: scoresOf(evaluations) };
}

function scoresOf(evaluations: readonly EvaluationRecord[]): Record<string, number> {
  return Object.fromEntries(
    evaluations.flatMap(({ dataset, result }) =>
      result.status === 'finished' && result.value !== null ? [[dataset, result.value] as const] : [],
    ),
  );
}
