import type { Experiment } from '../domain/experiment.ts';
import type { NodeId, Ref } from '../domain/ids.ts';
import { metricOf, type GoodNode, type Node } from '../domain/node.ts';
import { activeKeys, type Task } from '../domain/task.ts';
import { estimateOf } from './held-against.ts';
import { stageNodes, type RunRecords, type StageRecords } from './read-journal.ts';
import type { BestNode, ChangedParameter, LineageStep, StageReport } from './schema.ts';
import { nodeFacts, scoresOf } from './tree.ts';

/** The best node of a run: which one it is, what it changed, where it comes from, where it lies. */

/** Which node is the best: the one that the run named, else the best of the last stage that has one. */
export interface BestChoice {
  readonly named: NodeId | null;
  readonly stages: readonly StageReport[];
  readonly experiments: ReadonlyMap<Ref, Experiment>;
}

/** The best node of a run, with the numbers of the last stage that evaluated it; `null` when there is none. */
export function bestNodeReport(records: RunRecords, choice: BestChoice): BestNode | null {
  const found =
    findBest(records, choice.named) ?? findBest(records, choice.stages.findLast(({ best }) => best !== null)?.best?.node ?? null);
  if (found === undefined) return null;
  const { node, stage } = found;
  const { datasets, name } = stage.definition;
  const experiment = choice.experiments.get(node.experiment);
  return {
    ...nodeFacts(records, node),
    stage: name,
    datasets,
    metric: node.metric,
    scores: scoresOf(node, []),
    estimate: estimateOf(records.replicasOf(node.id, datasets)),
    experiment: node.experiment,
    parameters: experiment === undefined ? null : changedParameters(records.run.task, experiment),
    lineage: lineageOf(records, node),
    folder: `${firstStageOf(records, node.id)?.definition.name ?? node.stage}/${node.id}`,
    kept: experiment !== undefined,
  };
}

function findBest(records: RunRecords, id: NodeId | null): { node: GoodNode; stage: StageRecords } | undefined {
  for (const stage of records.stages.toReversed()) {
    const node = stageNodes(stage).find((other) => other.id === id);
    if (node?.status === 'good') return { node, stage };
  }
  return undefined;
}

/** The first stage that evaluated a node: the one that made it, or the one that a fork starts with. */
function firstStageOf({ stages }: RunRecords, id: NodeId): StageRecords | undefined {
  return stages.find((stage) => stageNodes(stage).some((node) => node.id === id));
}

/** The parameters that count and differ from the task's defaults, by key. */
function changedParameters(task: Task, { parameters }: Experiment): ChangedParameter[] {
  const active = new Set(activeKeys(task, parameters));
  return Object.entries(parameters)
    .filter(([key, value]) => value !== task.components[key]?.default && (active.has(key) || !(key in task.components)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => {
      const component = task.components[key];
      return { key, value, initial: component?.default ?? null, about: component?.about ?? '' };
    });
}

/** The way from the root to a node, each step as the stage that made it evaluated it. */
function lineageOf(records: RunRecords, best: Node): LineageStep[] {
  const steps: LineageStep[] = [];
  const seen = new Set<NodeId>();
  for (let at = records.nodes.get(best.id) ?? best; !seen.has(at.id);) {
    seen.add(at.id);
    const stage = firstStageOf(records, at.id);
    steps.push({ ...nodeFacts(records, at), metric: metricOf(at), datasets: stage?.definition.datasets ?? [] });
    at = (at.parent === null ? undefined : records.nodes.get(at.parent)) ?? at;
  }
  return steps.reverse();
}
