import type { EvaluationRecord } from '../domain/evaluation.ts';
import { REASON_TEXT, type DropReason, type FailureReason } from '../domain/failure.ts';
import type { BuggyNode } from '../domain/node.ts';
import type { StageRecords } from './read-journal.ts';
import type { Counts, DropCount, FailureCount, FigureFolder } from './schema.ts';
import { deviceTime, total } from './tree.ts';

/** What failed, what was dropped, and how much was done; counted, never hidden (P3, P6). */

const DROP_TEXT: Readonly<Record<DropReason, string>> = {
  section_violation: 'the edit touched keys outside its section',
  duplicate: 'the same experiment was already in the journal',
  stale: 'its parent had moved on',
  conflict: 'it contradicted another change',
  exhausted: 'there was nothing left to try',
  section_exhausted: 'nothing was left to try in the section of the item',
};

/** The buggy nodes of a stage by reason, most frequent first. */
export function failureCounts(stage: StageRecords): FailureCount[] {
  const buggy = stage.nodes.map(({ node }) => node).filter((node): node is BuggyNode => node.status === 'buggy');
  const groups = Map.groupBy(buggy, ({ reason }) => reason);
  return [...groups]
    .map(([reason, nodes]) => failureCount(reason, nodes))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/** The items of a stage that made no node, by reason, most frequent first. */
export function dropCounts(stage: StageRecords): DropCount[] {
  const groups = Map.groupBy(stage.dropped, ({ reason }) => reason);
  return [...groups]
    .map(([reason, events]) => ({
      reason,
      text: DROP_TEXT[reason],
      count: events.length,
      example: events.map(({ item, message }) => `${item}: ${message}`)[0] ?? '',
    }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/** What went wrong without making a buggy node: the carried node, replicas and plots that failed. */
export function troubles(stage: StageRecords): string[] {
  const base = stage.base?.node;
  const carried = base?.status === 'buggy' ? [`carried node ${base.id}: ${base.reason}: ${base.message}`] : [];
  const replicas = stage.replicas.flatMap(({ node, replica, evaluations, metric }) =>
    metric === null ? [`replica ${replica + 1} of ${node}: ${firstFailure(evaluations)}`] : [],
  );
  const plots = stage.plots.flatMap(({ node, evaluations }) =>
    evaluations.some(isFailed) ? [`plot of ${node}: ${firstFailure(evaluations)}`] : [],
  );
  return [...carried, ...replicas, ...plots];
}

/** Where the figures of a stage's nodes lie, plots first, each folder once. */
export function figureFolders(stage: StageRecords): FigureFolder[] {
  const nodes = [...(stage.base === null ? [] : [stage.base]), ...stage.nodes];
  const all = [
    ...stage.plots.map(({ node, evaluations }) => ({ node, evaluations })),
    ...nodes.map(({ node, evaluations }) => ({ node: node.id, evaluations })),
  ];
  const folders = all.flatMap(({ node, evaluations }) =>
    evaluations
      .filter(({ result }) => result.figures > 0 && result.evaluation !== null)
      .map(({ dataset, seed, result }) => ({
        node,
        dataset,
        seed,
        count: result.figures,
        folder: `evaluations/${result.evaluation}/attempts/${result.attempt}/out`,
      })),
  );
  return [...new Map(folders.toReversed().map((folder) => [folder.folder, folder])).values()].toReversed();
}

/** The counts of a stage. */
export function stageCounts(stage: StageRecords): Counts {
  const evaluations = [...(stage.base === null ? [] : [stage.base]), ...stage.nodes, ...stage.replicas, ...stage.plots].flatMap(
    (event) => event.evaluations,
  );
  const good = stage.nodes.filter(({ node }) => node.status === 'good').length;
  return {
    nodes: stage.nodes.length,
    good,
    buggy: stage.nodes.length - good,
    replicas: stage.replicas.length,
    evaluations: evaluations.length,
    failedEvaluations: evaluations.filter(isFailed).length,
    cached: evaluations.filter(({ result }) => result.cached).length,
    durationMs: deviceTime(evaluations),
  };
}

/** The counts of several stages together. */
export function sumCounts(parts: readonly Counts[]): Counts {
  const sum = (key: keyof Counts): number => total(parts.map((part) => part[key]));
  return {
    nodes: sum('nodes'),
    good: sum('good'),
    buggy: sum('buggy'),
    replicas: sum('replicas'),
    evaluations: sum('evaluations'),
    failedEvaluations: sum('failedEvaluations'),
    cached: sum('cached'),
    durationMs: sum('durationMs'),
  };
}

function failureCount(reason: FailureReason, nodes: readonly BuggyNode[]): FailureCount {
  const ids = nodes.map(({ id }) => id);
  return { reason, text: REASON_TEXT[reason], count: nodes.length, nodes: ids, example: nodes[0]?.message ?? '' };
}

function isFailed({ result }: EvaluationRecord): boolean {
  return result.status === 'failed';
}

function firstFailure(evaluations: readonly EvaluationRecord[]): string {
  for (const { dataset, result } of evaluations) {
    if (result.status === 'failed') return `${dataset}: ${result.reason}: ${result.message}`;
  }
  return 'no value';
}
