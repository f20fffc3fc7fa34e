import { estimateText } from './headline.ts';
import { codeSpan, escapeMarkdown as md, markdownTable } from './markdown-text.ts';
import {
  changeText,
  endingText,
  evaluationsText,
  nodesList,
  nodesText,
  scoresText,
  stateText,
  type FigureFiles,
} from './phrases.ts';
import type { Ablation, StageBest, StageReport, TreeRow } from './schema.ts';
import { numberOrDash, numberText, titleText } from './words.ts';

/** Levels of indentation at most: deeper rows stay lists in every reader, and say their parent instead. */
const MAX_INDENT = 12;

/** The section of one stage. */
export function markdownStage(stage: StageReport, metric: string, figures: FigureFiles): string[] {
  const head = [`## ${stage.number}. ${titleText(stage.name)}`, '', `Goal: ${md(stage.goal)}. ${md(endingText(stage))}`, ''];
  if (stage.tree.length === 0 && stage.dropped.length === 0) return head;
  return [
    ...head,
    `${md(nodesText(stage.counts))} (at most ${stage.maxNodes}); ${md(evaluationsText(stage.counts))}. Datasets: ${md(stage.datasets.join(', '))}.`,
    '',
    ...bestLines(stage.best, metric),
    ...(stage.blame === null ? [] : [`${md(stage.blame)}.`, '']),
    ...ablationLines(stage.ablations, metric),
    '### Tree',
    '',
    ...stage.tree.map(treeLine),
    '',
    ...list('Changed by a person', stage.steered),
    ...lossLines(stage),
    ...figureLines(stage, figures),
  ];
}

function bestLines(best: StageBest | null, metric: string): string[] {
  if (best === null) return ['No good node.', ''];
  const scores = best.scores.length > 1 ? ` (${md(scoresText(best.scores))})` : '';
  return [
    `Best: **${best.node}**, ${md(best.label)}${best.carried ? ', the node that was carried in' : ''}.`,
    '',
    `- ${md(metric)} on the search seed: ${numberText(best.metric)}${scores}`,
    `- ${md(metric)} on fresh seeds: ${estimateText(best.estimate)}`,
    ...(best.againstParent === null ? [] : [`- against its parent ${best.againstParent.node}: ${md(best.againstParent.text)}`]),
    ...(best.againstCarried === null
      ? []
      : [`- against the carried ${best.againstCarried.node}: ${md(best.againstCarried.text)}`]),
    '',
  ];
}

function ablationLines(ablations: readonly Ablation[], metric: string): string[] {
  if (ablations.length === 0) return [];
  const rows = ablations.map(({ component, node, metric: value, estimate, meaning }) => [
    codeSpan(component),
    node,
    numberOrDash(value),
    estimateText(estimate),
    md(meaning),
  ]);
  return [
    '### What each component is worth',
    '',
    ...markdownTable(['without', 'node', `${md(metric)}, search seed`, 'fresh seeds', 'verdict'], rows),
  ];
}

function treeLine(row: TreeRow): string {
  const indent = '  '.repeat(Math.min(row.depth, MAX_INDENT));
  const from = row.depth > MAX_INDENT && row.parent !== null ? ` from ${row.parent}` : '';
  const changes =
    row.changes.length === 0 || row.carried ? '' : ` (${row.changes.map((change) => codeSpan(changeText(change))).join(', ')})`;
  const value = row.metric === null ? '' : ` **${numberText(row.metric)}**`;
  const scores = row.scores.length > 1 || row.failure !== null ? suffix(scoresText(row.scores)) : '';
  const fresh = row.estimate.n > 0 ? `; fresh seeds: ${estimateText(row.estimate)}` : '';
  const mark = row.failure === null ? '✓' : '✗';
  return `${indent}- ${mark} ${row.node}${from} ${row.operator} ${md(row.label)}${changes}:${value} ${stateText(row)}${scores}${fresh}`;
}

function suffix(text: string): string {
  return text === '' ? '' : `; ${md(text)}`;
}

function lossLines({ failures, troubles, dropped }: StageReport): string[] {
  const table = [
    ...markdownTable(
      ['failed because', 'nodes', 'which', 'for example'],
      failures.map(({ text, count, nodes, example }) => [md(text), String(count), nodesList(nodes), md(example)]),
    ),
    ...markdownTable(
      ['dropped because', 'items', 'for example'],
      dropped.map(({ text, count, example }) => [md(text), String(count), md(example)]),
    ),
  ];
  const lines = [...table, ...list('Also failed', troubles)];
  return lines.length === 0 ? [] : ['### What failed and what was dropped', '', ...lines];
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}:`, '', ...items.map((item) => `- ${md(item)}`), ''];
}

function figureLines({ figures }: StageReport, files: FigureFiles): string[] {
  const lines = figures.flatMap(({ node, dataset, seed, folder }) =>
    (files.get(folder) ?? []).map(({ name, href }) => `![${md(`${node}, ${dataset}, seed ${seed}: ${name}`)}](${href})`),
  );
  return lines.length === 0 ? [] : ['### Figures', '', ...lines.flatMap((line) => [line, ''])];
}
