import { compareValues } from '../domain/metric.ts';
import type { RunOutcome, StageSummary } from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { STAGE_GOALS, type CompletionReason } from '../domain/stage.ts';
import { ablations } from './ablation.ts';
import { blameText } from './blame.ts';
import { estimateOf, holdAgainst, measured } from './held-against.ts';
import { dropCounts, failureCounts, figureFolders, stageCounts, troubles } from './losses.ts';
import { stageNodes, type RunRecords, type StageRecords } from './read-journal.ts';
import type { StageBest, StageReport } from './schema.ts';
import { nodeFacts, scoresOf, treeRows } from './tree.ts';

/** What the report says of one stage. */

const ENDING_TEXT: Readonly<Record<CompletionReason, string>> = {
  good_nodes: 'it had the good nodes it was after',
  patience: 'nothing better had been found for a while',
  node_limit: 'it had made as many nodes as it may',
  exhausted: 'there was nothing left to try',
  no_way_on: 'every way on had failed',
  stopped: 'the run was stopped',
  skipped: 'it was skipped',
  budget: 'the budget of the run was used up',
  target: 'its best metric was as good as wanted',
};

const UNFINISHED_TEXT: Readonly<Record<RunOutcome, string>> = {
  completed: 'it has no end in the journal',
  no_good_node: 'there was no good node to go on from',
  stopped: 'the run was stopped',
  cancelled: 'the run was cancelled',
};

/** How the run ended, and how its stages did; `summary` is missing where the workflow did not get that far. */
export interface Ending {
  readonly outcome: RunOutcome;
  readonly summary: StageSummary | undefined;
}

/** The report of a stage from its records. */
export function stageReport(records: RunRecords, stage: StageRecords, ending: Ending): StageReport {
  const { definition } = stage;
  const best = stageBestNode(records, stage, ending.summary);
  return {
    name: definition.name,
    number: records.stages.indexOf(stage) + 1,
    goal: STAGE_GOALS[definition.name],
    ...endingOf(records, stage, ending),
    operator: definition.operator,
    datasets: definition.datasets,
    maxNodes: definition.maxNodes,
    carried: stage.base?.node.id ?? stage.started?.carried ?? null,
    counts: stageCounts(stage),
    best: best === undefined ? null : stageBest(records, stage, best),
    blame: stage.blamed === null ? null : blameText(stage.blamed),
    tree: treeRows(records, stage, best?.id ?? null),
    ablations: ablations(records, stage),
    failures: failureCounts(stage),
    troubles: troubles(stage),
    dropped: dropCounts(stage),
    figures: figureFolders(stage),
    steered: stage.steered.map(({ message }) => message),
  };
}

/** The best node of a stage: the one it named at its end where it is there and good, else the first of the best. */
export function stageBestNode(records: RunRecords, stage: StageRecords, summary?: StageSummary): GoodNode | undefined {
  const good = stageNodes(stage).filter((node): node is GoodNode => node.status === 'good' && !stage.pruned.has(node.id));
  const named = stage.finished?.best ?? summary?.best?.id;
  const { direction } = records.run.plan.metric;
  return good.find(({ id }) => id === named) ?? good.toSorted((a, b) => compareValues(direction, a.metric, b.metric))[0];
}

function endingOf(
  { run }: RunRecords,
  stage: StageRecords,
  { outcome, summary }: Ending,
): Pick<StageReport, 'state' | 'reason' | 'ending'> {
  const end = stage.finished ?? summary;
  const begun = stage.started !== null || stageNodes(stage).length > 0;
  if (end !== undefined)
    return { state: begun ? 'finished' : 'not_started', reason: end.reason, ending: end.text || ENDING_TEXT[end.reason] };
  const before = begun ? null : leftOutText(run, stage);
  if (before !== null) return { state: 'not_started', reason: null, ending: before };
  if (begun) return { state: 'unfinished', reason: null, ending: `it did not end: ${UNFINISHED_TEXT[outcome]}` };
  return { state: 'not_started', reason: null, ending: `it was not reached: ${UNFINISHED_TEXT[outcome]}` };
}

/** Why a fork leaves out a stage before its start; `null` for any other stage. */
function leftOutText({ plan, forkedFrom }: ResolvedRun, { definition }: StageRecords): string | null {
  const { start } = plan;
  const names = plan.stages.map(({ name }) => name);
  if (start === null || names.indexOf(definition.name) >= names.indexOf(start.stage)) return null;
  return `it is not part of this run, which begins later, with ${start.node.id}${forkedFrom === null ? '' : ` of run ${forkedFrom.run}`}`;
}

function stageBest(records: RunRecords, stage: StageRecords, best: GoodNode): StageBest {
  const { datasets } = stage.definition;
  const { direction } = records.run.plan.metric;
  const here = measured(records, best, datasets);
  const others = stageNodes(stage).filter(({ id }) => id !== best.id);
  const against = (id: string | null | undefined) => {
    const other = others.find((node) => node.id === id);
    return other === undefined ? null : holdAgainst(direction, here, measured(records, other, datasets));
  };
  const evaluations = stage.nodes.find(({ node }) => node.id === best.id)?.evaluations ?? [];
  return {
    ...nodeFacts(records, best),
    carried: best.id === stage.base?.node.id,
    metric: best.metric,
    scores: scoresOf(best, evaluations),
    estimate: estimateOf(here.replicas),
    againstParent: against(best.parent),
    againstCarried: best.id === stage.base?.node.id ? null : against(stage.base?.node.id),
  };
}
