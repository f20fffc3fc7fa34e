import { EvaluationId, ItemId, nodeId, Ref, RunId, type NodeId, type StageName } from '../../src/domain/ids.ts';
import type { EvaluationRecord } from '../../src/domain/evaluation.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { noOutcomes, type RunStatus, type StageStatus } from '../../src/domain/messages.ts';
import type { MetricSpec } from '../../src/domain/metric.ts';
import type { BuggyNode, GoodNode } from '../../src/domain/node.ts';
import { DeviceName } from '../../src/domain/ids.ts';
import { advance, noProgress, type Progress } from '../../src/cli/follow/progress.ts';

/** Small values of the domain, as the tests of the command need them. */

export const ACCURACY: MetricSpec = { name: 'accuracy', direction: 'maximize', aggregation: 'mean' };
export const STAGE: StageName = 'initial_implementation';
export const RUN = RunId.parse('digits-20261129-1');

const core = (id: NodeId) => ({
  id,
  stage: STAGE,
  operator: 'draft' as const,
  parent: null,
  item: ItemId.parse(`draft#${id}`),
  label: 'knn',
  changed: [],
  experiment: Ref.parse('0'.repeat(32)),
  debugDepth: 0,
});

export function good(number: number, metric: number, change: Partial<GoodNode> = {}): GoodNode {
  return { ...core(nodeId(number)), status: 'good', metric, scores: { digits: metric }, ...change };
}

export function buggy(number: number, change: Partial<BuggyNode> = {}): BuggyNode {
  return { ...core(nodeId(number)), status: 'buggy', reason: 'exception', message: 'ValueError: no', ...change };
}

export function evaluation(value: number, seed = 0): EvaluationRecord {
  return {
    dataset: 'digits',
    seed,
    result: {
      status: 'finished',
      value,
      evaluation: EvaluationId.parse('0'.repeat(32)),
      attempt: '1.1',
      device: DeviceName.parse('cpu0'),
      durationMs: 1500,
      peakMemoryMiB: null,
      figures: 0,
      cached: false,
    },
  };
}

export function started(seq: number, carried: NodeId | null = null, stage: StageName = STAGE): JournalEvent {
  return { kind: 'stage_started', seq, stage, carried };
}

export function landed(seq: number, node: GoodNode | BuggyNode): JournalEvent {
  return {
    kind: 'node',
    seq,
    stage: node.stage,
    node,
    plan: 'a plan',
    evaluations: node.status === 'good' ? [evaluation(node.metric)] : [],
  };
}

export function replica(seq: number, node: NodeId, metric: number | null): JournalEvent {
  return {
    kind: 'replica',
    seq,
    stage: STAGE,
    node,
    replica: seq,
    metric,
    evaluations: [evaluation(metric ?? 0, 1_000_000 + seq)],
  };
}

/** The progress after these events. */
export function progressOf(events: readonly JournalEvent[], metric: MetricSpec = ACCURACY): Progress {
  return events.reduce(advance, noProgress(metric));
}

export function stageStatus(change: Partial<StageStatus> = {}): StageStatus {
  return {
    runId: RUN,
    stage: STAGE,
    state: 'running',
    waitingFor: null,
    nodes: 1,
    maxNodes: 12,
    pinned: null,
    best: null,
    base: null,
    running: [],
    outcomes: noOutcomes(),
    ...change,
  };
}

export function runStatus(change: Partial<RunStatus> = {}): RunStatus {
  return { runId: RUN, task: 'digits', state: 'running', stage: STAGE, finished: [], waitingFor: null, parked: null, ...change };
}
