import type { StatusOutput } from '../json-output.ts';
import { diskUseText } from '../../domain/disk-use.ts';
import { forkText } from '../../domain/fork.ts';
import type { MetricSpec } from '../../domain/metric.ts';
import type { GoodNode, Node } from '../../domain/node.ts';
import { outcomesText } from '../../report/details.ts';
import { countText, valueText } from './numbers.ts';
import { stageText } from './stage-text.ts';
import { tableLines } from './table.ts';

/** The status of a run for people. */
export function statusLines(status: StatusOutput): string[] {
  return [
    `${status.runId}  ${taskText(status)}  ${stateText(status)}`,
    ...(status.forkedFrom === null ? [] : [`  ${forkText(status.forkedFrom)}, from ${stageText(status.forkedFrom.stage)} on`]),
    ...tableLines(status.stages.map((stage) => [`  ${stageText(stage.stage)}`, ...stageCells(stage, status.metric)])),
    ...liveLines(status),
    ...status.retrying.map(({ activity, tries, failure }) => `  waiting for: ${activity}, try ${tries}: ${failure}`),
    ...(status.report === null ? [] : [`report: ${status.report}`]),
    ...(status.disk === null ? [] : [`disk: ${diskUseText(status.disk)}`]),
    ...(status.state === 'idle' ? [`go on with it: scientist resume ${status.runId}`] : []),
  ];
}

/** A node with its metric in a few words; `none yet` for nothing. */
export function bestCell(best: Node | GoodNode | null, metric: MetricSpec | null): string {
  return best?.status === 'good' ? `best ${best.id} ${metric?.name ?? ''} ${valueText(best.metric)}` : 'no good node';
}

/** The server knows the task of a resolved run even when its `run.json` is gone. */
function taskText({ task, live }: StatusOutput): string {
  return task ?? (live === null || live.run.task === '' ? 'not resolved yet' : live.run.task);
}

function stateText({ state, live }: StatusOutput): string {
  if (live === null) return state;
  return state === 'running' || live.run.state !== 'resolving' ? live.run.state : state;
}

function stageCells(stage: StatusOutput['stages'][number], metric: MetricSpec | null): string[] {
  const cached = stage.cached === 0 ? '' : `, ${countText(stage.cached, 'evaluation')} from earlier results`;
  const counts = `${countText(stage.good + stage.buggy, 'node')} (${stage.buggy} buggy)${cached}`;
  return [
    counts,
    bestCell(stage.best, metric),
    stage.finished === null ? 'running' : `${stage.finished.reason}: ${stage.finished.text}`,
  ];
}

function liveLines({ live }: StatusOutput): string[] {
  if (live === null) return [];
  const waiting = live.stage?.waitingFor ?? live.run.waitingFor;
  const outcomes = live.stage === null ? '' : outcomesText(live.stage.outcomes);
  return [
    ...(outcomes === '' ? [] : [`  outcomes: ${outcomes}`]),
    ...(live.stage?.running ?? []).map(
      ({ worker, node, item, doing }) => `  w${worker}  ${item.kind === 'node' ? item.operator : item.kind} ${node}  ${doing}`,
    ),
    ...(waiting === null ? [] : [`  waiting: ${waiting}`]),
  ];
}
