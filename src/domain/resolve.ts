import type { RunConfig } from './config.ts';
import type { RunStart } from './fork.ts';
import { workersOf } from './config-warnings.ts';
import type { Device } from './device.ts';
import { PlatformFailure } from './failure.ts';
import { STAGE_NAMES, type RunId, type StageName } from './ids.ts';
import type { PlanComponent, RunPlan, SelectionOptions } from './run-plan.ts';
import { STAGE_OPERATORS, type CompletionRule, type StageDefinition } from './stage.ts';
import type { Component, Task } from './task.ts';

/**
 * From a configuration, a task and devices to the plan of a run. Everything that a run decides by is fixed
 * here, before its first evaluation; what the plan leaves unused is said in words (P6).
 */

/** What a plan is made from. */
export interface PlanFacts {
  readonly config: RunConfig;
  readonly task: Task;
  /** The devices of the run, in the order in which they are taken; not empty. */
  readonly devices: readonly Device[];
  readonly runId: RunId;
  readonly queuePrefix: string;
  /** The search attributes that the server knows. */
  readonly searchAttributes: readonly string[];
  /** Where a fork begins; the stages before get no nodes. Nothing = with the first stage. */
  readonly start?: RunStart | null;
}

/** A plan, and what a person should know about it, one sentence each. */
export interface PlannedRun {
  readonly plan: RunPlan;
  readonly warnings: string[];
}

/** The plan is a payload of every stage; one that is larger would be refused late, by the server. */
const LARGEST_PLAN_BYTES = 64 * 1024;

/**
 * The plan of a run. A function of its arguments.
 *
 * @throws PlatformFailure `NoDevice` without devices, `StateTooLarge` for a plan above 64 KiB
 */
export function planRun(facts: PlanFacts): PlannedRun {
  const { config, task, devices, runId, queuePrefix, searchAttributes } = facts;
  if (devices.length === 0) throw new PlatformFailure('NoDevice', 'There is no device to evaluate on.', 'Use devices: cpu:2.');
  const limits = stageLimits(config, facts.start?.stage ?? STAGE_NAMES[0]);
  const workers = cappedWorkers(config, devices);
  const plan: RunPlan = {
    v: 1,
    runId,
    task: task.name,
    metric: task.metric,
    components: planComponents(task),
    stages: STAGE_NAMES.map((name, index) => stageDefinition(facts, { name, index, maxNodes: limits.nodes[index] ?? 0 })),
    start: facts.start ?? null,
    budgetNodes: config.budget.nodes,
    onStageFailure: config.server.on_stage_failure,
    search: {
      policy: config.search.policy,
      numDrafts: config.agent.search.num_drafts,
      debugProb: config.agent.search.debug_prob,
      maxDebugDepth: config.agent.search.max_debug_depth,
      ablationPairs: config.search.ablation_pairs,
      selection: selectionOptions(config),
    },
    replication: { numSeeds: config.agent.multi_seed_eval.num_seeds, scope: config.agent.multi_seed_eval.scope },
    strategy: { name: config.strategy.name, options: config.strategy.options },
    stageStrategies: config.strategy.stages,
    schedule: config.schedule,
    async: config.async,
    numWorkers: workers.count,
    devices: [...devices],
    maxDevices: config.max_devices,
    exec: execOptions(config),
    seed: config.seed,
    queuePrefix,
    priority: config.server.priority,
    searchAttributes: [...searchAttributes],
    maxHistoryEvents: config.server.max_history_events,
  };
  refuseLarge(plan);
  return {
    plan,
    warnings: [...limits.warnings, ...workers.warnings, ...idleLimit(config, devices), ...taskWarnings(config, task, plan)],
  };
}

function stageDefinition(
  { config, task }: PlanFacts,
  stage: { name: StageName; index: number; maxNodes: number },
): StageDefinition {
  const { name, index, maxNodes } = stage;
  const datasets = index + 1 >= config.search.all_datasets_from ? task.datasets : task.datasets.slice(0, 1);
  const plots = name === 'creative_research' && task.plot !== undefined;
  return { name, operator: STAGE_OPERATORS[name], maxNodes, datasets, rules: completionRules(config, name), plots };
}

function completionRules({ search }: RunConfig, name: StageName): CompletionRule[] {
  if (name === 'initial_implementation') return [{ rule: 'good_nodes', min: search.good_nodes }];
  if (name === 'ablation_studies') return [];
  const { target, patience } = search;
  return [
    ...(target === null ? [] : [{ rule: 'target' as const, value: target }]),
    ...(patience === null ? [] : [{ rule: 'patience' as const, nodes: patience }]),
  ];
}

function selectionOptions({ search: { selection, exploration, beam_width: beamWidth } }: RunConfig): SelectionOptions {
  return { name: selection, exploration, beamWidth };
}

/**
 * Each stage from `first` on has its own limit, and the run's budget is taken as the run goes on: what a stage
 * leaves, a later one may use.
 */
function stageLimits({ agent: { stages }, budget }: RunConfig, first: StageName): { nodes: number[]; warnings: string[] } {
  const wanted = [stages.stage1_max_iters, stages.stage2_max_iters, stages.stage3_max_iters, stages.stage4_max_iters];
  const nodes = wanted.map((limit, index) => (index < STAGE_NAMES.indexOf(first) ? 0 : limit));
  let left = budget.nodes ?? Infinity;
  const empty = STAGE_NAMES.filter((_, index) => {
    const isEmpty = left <= 0 && nodes[index] !== 0;
    left -= nodes[index] ?? 0;
    return isEmpty;
  });
  const warnings =
    empty.length === 0
      ? []
      : [
          `budget.nodes (${String(budget.nodes)}) leaves no node for ${empty.join(', ')}, unless the stages before end below their limits.`,
        ];
  return { nodes, warnings };
}

function countText({ length }: readonly Device[]): string {
  return `${length} device${length === 1 ? '' : 's'}`;
}

function idleLimit({ max_devices: most }: RunConfig, devices: readonly Device[]): string[] {
  if (most === null || most < devices.length) return [];
  return [`max_devices has no effect: the run has ${countText(devices)}.`];
}

/** GPUs cap the workers, as in AI-Scientist-v2; CPU slots do not, since a worker also proposes. */
function cappedWorkers(config: RunConfig, devices: readonly Device[]): { count: number; warnings: string[] } {
  const wanted = workersOf(config);
  if (wanted <= devices.length) return { count: wanted, warnings: [] };
  const have = countText(devices);
  if (devices.every((device) => device.kind === 'gpu')) {
    return {
      count: devices.length,
      warnings: [`agent.num_workers is ${wanted}, but there are ${have}: ${devices.length} workers.`],
    };
  }
  return {
    count: wanted,
    warnings: [`agent.num_workers is ${wanted} on ${have}: at most ${devices.length} of them evaluate at a time.`],
  };
}

function execOptions({ exec, proposer }: RunConfig): RunPlan['exec'] {
  return {
    timeoutMs: exec.timeout,
    graceMs: exec.grace,
    proposalTimeoutMs: proposer.timeout,
    heartbeatTimeoutMs: exec.heartbeat_timeout,
    maxDispatches: exec.max_dispatches,
  };
}

function planComponents(task: Task): PlanComponent[] {
  return Object.entries(task.components).map(([key, component]) => {
    const isFree = !task.frozen.includes(key);
    return {
      key,
      group: component.group,
      ablatable: isFree && component.ablated !== undefined,
      tunable: isFree && key !== task.family && hasChoice(component),
    };
  });
}

function hasChoice(component: Component): boolean {
  if (component.type === 'bool') return true;
  return component.type === 'choice' ? component.values.length > 1 : component.min < component.max;
}

function taskWarnings({ search }: RunConfig, task: Task, { components, stages }: RunPlan): string[] {
  const runs = (name: StageName): boolean => stages.some((stage) => stage.name === name && stage.maxNodes > 0);
  const ablatable = components.filter((component) => component.ablatable).length;
  const lines: string[] = [];
  if (runs('baseline_tuning') && !components.some((component) => component.tunable))
    lines.push('Stage 2 has nothing to do: no component of the task can be tuned.');
  if (runs('ablation_studies') && ablatable === 0)
    lines.push('Stage 4 has nothing to do: no component of the task has an ablated value.');
  if (search.ablation_pairs && ablatable === 1)
    lines.push('search.ablation_pairs has no effect: only one component of the task has an ablated value.');
  if (task.datasets.length === 1 && search.all_datasets_from < 3)
    lines.push('search.all_datasets_from has no effect: the task has one dataset.');
  return lines;
}

function refuseLarge(plan: RunPlan): void {
  const bytes = new TextEncoder().encode(JSON.stringify(plan)).length;
  if (bytes <= LARGEST_PLAN_BYTES) return;
  throw new PlatformFailure(
    'StateTooLarge',
    `The plan of the run has ${Math.ceil(bytes / 1024)} KiB, more than ${LARGEST_PLAN_BYTES / 1024}: ${plan.devices.length} devices, ${plan.components.length} components.`,
    'Use fewer devices, components or strategy options.',
  );
}
