import { durationText } from '../../domain/duration.ts';
import { assertNever } from '../../domain/failure.ts';
import type { RunPlan } from '../../domain/run-plan.ts';
import type { CompletionRule, StageDefinition } from '../../domain/stage.ts';
import { countText } from './numbers.ts';
import { stageText } from './stage-text.ts';
import { tableLines } from './table.ts';

/** The resolved plan of a run for people; what `--dry-run` shows. */
export function planLines({ plan, ignoredKeys }: { readonly plan: RunPlan; readonly ignoredKeys: readonly string[] }): string[] {
  return [
    ...tableLines([
      ['run', plan.runId],
      ['task', `${plan.task}, ${plan.metric.direction} ${plan.metric.name} (${plan.metric.aggregation} over datasets)`],
      ['devices', plan.devices.map(({ name, kind }) => (name.startsWith(kind) ? name : `${name} (${kind})`)).join(', ')],
      ['workers', `${plan.numWorkers}, strategy ${plan.strategy.name}, schedule ${plan.schedule}`],
      [
        'search',
        `${countText(plan.search.numDrafts, 'draft')}, debug with probability ${plan.search.debugProb} up to depth ${plan.search.maxDebugDepth}${selectionText(plan.search)}`,
      ],
      [
        'seeds',
        `${plan.seed} for the search; then ${plan.replication.numSeeds} fresh ones for ${plan.replication.scope === 'best' ? 'the best node of a stage' : 'every good node'}`,
      ],
      [
        'limits',
        `${durationText(plan.exec.timeoutMs)} an evaluation, ${countText(plan.exec.maxDispatches, 'device')} tried after platform failures`,
      ],
    ]),
    ...tableLines(
      plan.stages.map((stage) => [
        `  ${stageText(stage.name)}`,
        stage.operator,
        `at most ${countText(stage.maxNodes, 'node')}`,
        stage.datasets.join(', '),
        rulesText(stage),
      ]),
    ),
    `evaluations: at most about ${estimateEvaluations(plan)}`,
    ...(ignoredKeys.length === 0 ? [] : [`ignored keys of AI-Scientist-v2: ${ignoredKeys.join(', ')}`]),
  ];
}

/**
 * Evaluations of a run at most, plots left out: every node on every dataset of its stage, the carried node
 * again where the datasets grow, and the replication at each stage's end. Repeated platform failures add to it.
 */
export function estimateEvaluations(plan: Pick<RunPlan, 'stages' | 'replication'>): number {
  const { numSeeds, scope } = plan.replication;
  const ofStage = ({ maxNodes, datasets }: StageDefinition, index: number): number => {
    if (maxNodes === 0) return 0;
    const replicated = scope === 'best' ? 1 : maxNodes;
    const before = plan.stages[index - 1]?.datasets ?? [];
    const carried = index === 0 ? 0 : datasets.filter((dataset) => !before.includes(dataset)).length;
    return (maxNodes + replicated * numSeeds) * datasets.length + carried;
  };
  return plan.stages.reduce((sum, stage, index) => sum + ofStage(stage, index), 0);
}

function rulesText({ rules }: StageDefinition): string {
  return rules.map(ruleText).join(', ');
}

function ruleText(rule: CompletionRule): string {
  switch (rule.rule) {
    case 'good_nodes':
      return `done with ${countText(rule.min, 'good node')}`;
    case 'patience':
      return `done after ${rule.nodes} without a better one`;
    case 'target':
      return `done at ${rule.value} or better`;
    default:
      return assertNever(rule);
  }
}

function selectionText({ selection }: RunPlan['search']): string {
  if (selection === undefined || selection.name === 'best') return '';
  const { name, exploration, beamWidth } = selection;
  const numbers = name === 'beam' ? `, ${beamWidth} wide` : ['puct', 'uct'].includes(name) ? `, exploration ${exploration}` : '';
  return `, improve by ${name}${numbers}`;
}
