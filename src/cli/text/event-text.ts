import { durationText } from '../../domain/duration.ts';
import type { EvaluationRecord } from '../../domain/evaluation.ts';
import { REASON_TEXT } from '../../domain/failure.ts';
import type { JournalEvent } from '../../domain/journal.ts';
import { gain, type MetricSpec } from '../../domain/metric.ts';
import type { GoodNode, Node } from '../../domain/node.ts';
import { STAGE_GOALS } from '../../domain/stage.ts';
import { blameText } from '../../report/blame.ts';
import { currentStage, parentOf, type Progress } from '../follow/progress.ts';
import { signedText, valueText } from './numbers.ts';
import { stageText } from './stage-text.ts';

/** Marks the best node of its stage so far. */
export const BEST_MARK = '*';

/**
 * A journal event as one line, as it lands. `progress` is the run after the event.
 * Nodes read `* n17   improve  model.c (n9)  good   accuracy 0.9822  +0.0031 on n9  2.1 s on cpu0`.
 */
export function eventText(event: JournalEvent, progress: Progress): string {
  switch (event.kind) {
    case 'stage_started':
      return `${stageText(event.stage)}: ${STAGE_GOALS[event.stage]}${event.carried === null ? '' : `, from ${event.carried}`}`;
    case 'base':
      return `  ${nodeText(event.node, progress, 'carried')}${costText(event.evaluations)}`;
    case 'node':
      return `${isBest(event.node, progress) ? BEST_MARK : ' '} ${nodeText(event.node, progress, event.node.operator)}${costText(event.evaluations)}`;
    case 'replica':
      return `  ${event.node.padEnd(5)} replica  ${`seed ${event.evaluations[0]?.seed ?? event.replica}`.padEnd(26)} ${metricText(progress.metric, event.metric)}`;
    case 'plot':
      return `  ${event.node.padEnd(5)} plot     ${figuresText(event.evaluations)}`;
    case 'dropped':
      return `  -     dropped  ${event.item}: ${event.reason}, ${event.message}`;
    case 'steered':
      return `  -     steered  ${event.message}`;
    case 'blamed':
      return `  -     blamed   ${blameText(event)}`;
    case 'stage_finished':
      return finishedText(event, progress);
  }
}

/** A node's outcome: the metric of a good one, the reason of a buggy one. */
export function outcomeText(node: Node, metric: MetricSpec): string {
  return node.status === 'good'
    ? `good   ${metric.name} ${valueText(node.metric)}`
    : `buggy  ${node.reason}: ${oneLine(node.message === '' ? REASON_TEXT[node.reason] : node.message)}`;
}

/** How much better a node is than its parent; empty where there is nothing to compare. */
export function gainText(node: GoodNode, parent: Node | null, metric: MetricSpec): string {
  if (parent?.status !== 'good') return '';
  return `${signedText(gain(metric.direction, node.metric, parent.metric))} on ${parent.id}`;
}

function nodeText(node: Node, progress: Progress, what: string): string {
  const from = node.parent === null || what === 'carried' ? '' : ` (${node.parent})`;
  const words = `${node.id.padEnd(5)} ${what.padEnd(8)} ${`${node.label}${from}`.padEnd(26)} ${outcomeText(node, progress.metric)}`;
  const compared = node.status === 'good' ? gainText(node, parentOf(progress, node), progress.metric) : '';
  return compared === '' || what === 'carried' ? words : `${words}  ${compared}`;
}

function isBest(node: Node, progress: Progress): boolean {
  return currentStage(progress)?.best?.id === node.id;
}

function metricText(metric: MetricSpec, value: number | null): string {
  return value === null ? 'failed' : `good   ${metric.name} ${valueText(value)}`;
}

function figuresText(evaluations: readonly EvaluationRecord[]): string {
  const figures = evaluations.reduce((sum, { result }) => sum + result.figures, 0);
  return figures === 0 ? 'no figure' : `${figures} figure${figures === 1 ? '' : 's'}`;
}

function costText(evaluations: readonly EvaluationRecord[]): string {
  const results = evaluations.map(({ result }) => result);
  if (results.length === 0) return '';
  const devices = [...new Set(results.map(({ device }) => device))].join(', ');
  const cached = results.every((result) => result.cached) ? ', cached' : '';
  return `  ${durationText(results.reduce((sum, { durationMs }) => sum + durationMs, 0))} on ${devices}${cached}`;
}

function finishedText(event: Extract<JournalEvent, { kind: 'stage_finished' }>, progress: Progress): string {
  const best = event.best === null ? undefined : progress.nodes.get(event.best);
  const found = best?.status === 'good' ? `best ${best.id} ${progress.metric.name} ${valueText(best.metric)}` : 'no good node';
  return `${stageText(event.stage)} ended: ${event.reason}, ${event.text}; ${found}`;
}

/** A text without line breaks and control characters, so that a program's output cannot upset a terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}
