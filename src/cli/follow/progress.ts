import type { NodeId, StageName } from '../../domain/ids.ts';
import type { JournalEvent } from '../../domain/journal.ts';
import { isBetter, type MetricSpec } from '../../domain/metric.ts';
import { metricOf, type GoodNode, type Node } from '../../domain/node.ts';
import type { CompletionReason } from '../../domain/stage.ts';

/**
 * What the journal on disk says of a run so far, folded event by event. It needs no server, so the view
 * stays right while the server is away.
 */

/** A stage as far as it has come. */
export interface StageProgress {
  readonly stage: StageName;
  readonly good: number;
  readonly buggy: number;
  readonly dropped: number;
  /** Evaluations that were answered with an earlier result instead of run. */
  readonly cached: number;
  /** The best good node, the carried one included; `null` before there is one. */
  readonly best: GoodNode | null;
  /** Why it ended; `null` while it runs. */
  readonly finished: { readonly reason: CompletionReason; readonly text: string } | null;
}

/** The metrics of a node on fresh seeds, in one stage. */
export interface Replicas {
  readonly stage: StageName;
  readonly values: readonly number[];
}

/** A run as far as it has come. */
export interface Progress {
  readonly metric: MetricSpec;
  /** In the order in which they started. */
  readonly stages: readonly StageProgress[];
  /** Every node by id; a carried one as last evaluated. */
  readonly nodes: ReadonlyMap<NodeId, Node>;
  /** Metrics of replicas by node, failed ones left out, in the last stage that replicated it. */
  readonly replicas: ReadonlyMap<NodeId, Replicas>;
  /** The node that each stage was given. */
  readonly bases: ReadonlyMap<StageName, NodeId>;
  /** What a person pruned and what descends from it. */
  readonly pruned: ReadonlySet<NodeId>;
}

/** A run of which nothing is journalled. */
export function noProgress(metric: MetricSpec): Progress {
  return { metric, stages: [], nodes: new Map(), replicas: new Map(), bases: new Map(), pruned: new Set() };
}

/** The progress after one more event; events come in order of their number. */
export function advance(progress: Progress, event: JournalEvent): Progress {
  const next = applied(progress, event);
  const cached = 'evaluations' in event ? event.evaluations.filter(({ result }) => result.cached).length : 0;
  return cached === 0 ? next : inStage(next, event.stage, (stage) => ({ ...stage, cached: stage.cached + cached }));
}

function applied(progress: Progress, event: JournalEvent): Progress {
  switch (event.kind) {
    case 'stage_started':
      return withStage(progress, event.stage);
    case 'base':
      return withNode(
        { ...progress, bases: new Map(progress.bases).set(event.stage, event.node.id) },
        event.stage,
        event.node,
        false,
      );
    case 'node':
      return withNode(progress, event.stage, event.node, true);
    case 'replica':
      return event.metric === null ? progress : withReplica(progress, event.stage, { node: event.node, metric: event.metric });
    case 'dropped':
      return inStage(progress, event.stage, (stage) => ({ ...stage, dropped: stage.dropped + 1 }));
    case 'stage_finished':
      return inStage(progress, event.stage, (stage) => ({ ...stage, finished: { reason: event.reason, text: event.text } }));
    case 'steered':
      return event.pruned === undefined ? progress : withoutSubtree(progress, event.stage, event.pruned);
    case 'plot':
    case 'blamed':
      return progress;
  }
}

/** The stage that runs, or the last one; `null` before the first. */
export function currentStage(progress: Progress): StageProgress | null {
  return progress.stages.at(-1) ?? null;
}

/** The parent of a node; `null` for a root. */
export function parentOf(progress: Progress, node: Node): Node | null {
  return node.parent === null ? null : (progress.nodes.get(node.parent) ?? null);
}

/** Without the subtree that a person pruned among what may be best. The base, which is never pruned, is so at the least. */
function withoutSubtree(progress: Progress, name: StageName, root: NodeId): Progress {
  const gone = new Set([...progress.pruned, root]);
  for (const { id, parent } of progress.nodes.values()) if (parent !== null && gone.has(parent)) gone.add(id);
  const base = progress.bases.get(name);
  const left = [...progress.nodes.values()].filter(({ id, stage }) => (stage === name || id === base) && !gone.has(id));
  const best = left.reduce<GoodNode | null>((found, node) => betterOf(progress.metric, found, node), null);
  return inStage({ ...progress, pruned: gone }, name, (stage) => ({ ...stage, best }));
}

/** A stage that is begun anew after it failed keeps its nodes: they are in the journal. */
function withStage(progress: Progress, name: StageName): Progress {
  if (progress.stages.some(({ stage }) => stage === name))
    return inStage(progress, name, (stage) => ({ ...stage, finished: null }));
  return { ...progress, stages: [...progress.stages, newStage(name)] };
}

function newStage(stage: StageName): StageProgress {
  return { stage, good: 0, buggy: 0, dropped: 0, cached: 0, best: null, finished: null };
}

function withNode(progress: Progress, name: StageName, node: Node, isOwn: boolean): Progress {
  const nodes = new Map(progress.nodes).set(node.id, node);
  // What was pruned while it was made may land after that as a good node.
  const isPruned = progress.pruned.has(node.id) || (node.parent !== null && progress.pruned.has(node.parent));
  const pruned = isPruned ? new Set(progress.pruned).add(node.id) : progress.pruned;
  return inStage({ ...progress, nodes, pruned }, name, (stage) => ({
    ...stage,
    good: stage.good + (isOwn && node.status === 'good' ? 1 : 0),
    buggy: stage.buggy + (isOwn && node.status === 'buggy' ? 1 : 0),
    best: isPruned ? stage.best : betterOf(progress.metric, stage.best, node),
  }));
}

function betterOf(metric: MetricSpec, best: GoodNode | null, node: Node): GoodNode | null {
  if (node.status !== 'good') return best;
  return best === null || isBetter(metric.direction, node.metric, metricOf(best)) ? node : best;
}

function withReplica(progress: Progress, stage: StageName, replica: { node: NodeId; metric: number }): Progress {
  const known = progress.replicas.get(replica.node);
  const values = known?.stage === stage ? [...known.values, replica.metric] : [replica.metric];
  return { ...progress, replicas: new Map(progress.replicas).set(replica.node, { stage, values }) };
}

function inStage(progress: Progress, name: StageName, change: (stage: StageProgress) => StageProgress): Progress {
  return { ...progress, stages: progress.stages.map((stage) => (stage.stage === name ? change(stage) : stage)) };
}
