import { estimateText } from './headline.ts';
import { markdownStage } from './markdown-stage.ts';
import { codeSpan, escapeMarkdown as md, markdownTable } from './markdown-text.ts';
import {
  againstText,
  changeText,
  evaluationsText,
  nodesText,
  originText,
  OUTCOME_TEXT,
  readingNotes,
  runFactRows,
  scoresText,
  type FigureFiles,
} from './phrases.ts';
import type { BestNode, ReportModel } from './schema.ts';
import { numberOrDash, numberText, titleText, valueText } from './words.ts';

/** `report.md`: readable as plain text too. Every text of a program is escaped on its way in (R4). */
export function markdownReport(model: ReportModel, figures: FigureFiles): string {
  const { run, headline, outcome, counts } = model;
  const lines = [
    `# Research run ${run.id}`,
    '',
    md(run.goal),
    '',
    ...(run.forkedFrom === null ? [] : [`Forked from ${md(originText(run.forkedFrom))}.`, '']),
    `**${md(headline.found)}**`,
    '',
    md(headline.sure),
    '',
    md(headline.failed),
    '',
    `Outcome: ${OUTCOME_TEXT[outcome]}. ${md(nodesText(counts))}; ${md(evaluationsText(counts))}.`,
    '',
    ...bestSection(model.best, run.metric.name),
    '## Stages at a glance',
    '',
    ...glance(model),
    ...model.stages.flatMap((stage) => markdownStage(stage, run.metric.name, figures)),
    ...aboutSection(model),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function bestSection(best: BestNode | null, metric: string): string[] {
  if (best === null) return [];
  const scores = best.scores.length > 1 ? ` (${md(scoresText(best.scores))})` : '';
  return [
    '## The best program',
    '',
    `${best.node}, ${md(best.label)}, made by ${best.operator} in ${md(titleText(best.madeIn).toLowerCase())}. ${placeText(best)}`,
    '',
    `- ${md(metric)} on fresh seeds: ${estimateText(best.estimate)}`,
    `- ${md(metric)} on the search seed, which chose it: ${numberText(best.metric)}${scores}`,
    '',
    ...parameterLines(best),
    'How it came about:',
    '',
    ...best.lineage.map(
      (step, index) =>
        `${index + 1}. ${step.node}, ${step.operator}, ${md(step.label)}: ${numberOrDash(step.metric)} on ${md(step.datasets.join(', '))}${changesSuffix(step.changes)}`,
    ),
    '',
  ];
}

function placeText({ kept, folder }: BestNode): string {
  const program = kept
    ? 'The program lies in [`best/`](best/), with a line to run it by hand ([README.md](best/README.md)).'
    : 'Its program could not be read.';
  return `${program} Logs and results: [\`${folder}/\`](${folder}/).`;
}

function parameterLines({ parameters }: BestNode): string[] {
  if (parameters === null) return ['Its parameters could not be read.', ''];
  if (parameters.length === 0) return ['Every parameter is at the task’s default.', ''];
  const rows = parameters.map(({ key, value, initial, about }) => [
    codeSpan(key),
    codeSpan(valueText(value)),
    initial === null ? '–' : codeSpan(valueText(initial)),
    md(about),
  ]);
  return markdownTable(['parameter', 'value', 'task’s default', 'what it is'], rows);
}

function glance({ stages }: ReportModel): string[] {
  const rows = stages.map((stage) => [
    `${stage.number}. ${titleText(stage.name)}`,
    md(stage.datasets.join(', ')),
    `${stage.counts.nodes} (${stage.counts.buggy} failed)`,
    stage.best === null ? '–' : `${stage.best.node} ${md(stage.best.label)}`,
    numberOrDash(stage.best?.metric ?? null),
    stage.best === null ? '–' : estimateText(stage.best.estimate),
    md(againstText(stage)),
  ]);
  return markdownTable(['stage', 'datasets', 'nodes', 'best', 'search seed', 'fresh seeds', 'against the carried node'], rows);
}

function aboutSection(model: ReportModel): string[] {
  const { warnings, ignoredKeys } = model.run;
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`### ${title}`, '', ...items.map((item) => `- ${item}`), ''];
  return [
    '## How to read the numbers',
    '',
    ...readingNotes(model).map((note) => `- ${md(note)}`),
    '',
    '## The run',
    '',
    ...markdownTable(
      ['what', 'value'],
      runFactRows(model).map(([name, text]) => [md(name), md(text)]),
    ),
    ...list('Warnings', warnings.map(md)),
    ...list('Keys of the configuration without effect', ignoredKeys.map(codeSpan)),
    'The same as data: [`report.json`](report.json); every event: [`journal.json`](journal.json).',
  ];
}

function changesSuffix(changes: BestNode['changes']): string {
  return changes.length === 0 ? '' : ` (${changes.map((change) => codeSpan(changeText(change))).join(', ')})`;
}
