import { oneLine, PlatformFailure } from '../domain/failure.ts';
import type { Operator } from '../domain/item.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import type { StrategyChoice } from '../domain/steering.ts';
import { clusterParallel } from './cluster-parallel.ts';
import { dataParallel } from './data-parallel.ts';
import { inOrder } from './in-order.ts';
import { ownEntryNamed } from './own/modules.ts';
import type { BoundStrategy, StrategyEntry } from './strategy.ts';
import { tensorParallel } from './tensor-parallel.ts';

/** Every strategy. A new one is one file and one line here; config, schema, help and conformance follow. */
export const STRATEGIES: readonly StrategyEntry[] = [inOrder, dataParallel, tensorParallel, clusterParallel];

/** What of a plan decides which strategy a stage has, and whether it can work. */
type PlanOfStrategies = Pick<RunPlan, 'strategy' | 'stageStrategies' | 'stages' | 'components' | 'numWorkers'>;

/** The strategy of this name with its options applied; `StrategyRefused` when there is none or they do not fit. */
export function bindStrategy(name: string, options: unknown): BoundStrategy {
  const entry = entryNamed(name);
  return entry.bind(parsedOptions(entry, options));
}

/**
 * The strategy of a stage: the one chosen for it alone, else that of the run where it is for such a stage, else
 * the default.
 */
export function strategyOfStage(plan: PlanOfStrategies, { name, operator }: StageDefinition): BoundStrategy {
  const own = plan.stageStrategies[name];
  if (own !== undefined) return bindStrategy(own.name, own.options);
  const isFit = entryNamed(plan.strategy.name).isFor(operator);
  return isFit ? bindStrategy(plan.strategy.name, plan.strategy.options) : inOrder.bind({});
}

/** Checks every strategy of a run; `StrategyRefused` for one that cannot work, with the fix (P6). */
export function checkStrategies(plan: PlanOfStrategies): void {
  const used = plan.stages.filter(({ maxNodes }) => maxNodes > 0);
  for (const { name, operator } of used) {
    const own = plan.stageStrategies[name];
    if (own !== undefined) checkStrategy(own, operator, plan);
  }
  const { name } = plan.strategy;
  const operators = used.filter((stage) => plan.stageStrategies[stage.name] === undefined).map(({ operator }) => operator);
  const fitting = operators.find((operator) => entryNamed(name).isFor(operator));
  if (fitting !== undefined) checkStrategy(plan.strategy, fitting, plan);
  else if (operators.length > 0) throw notForStages(name);
  else bindStrategy(name, plan.strategy.options);
}

/** Checks one strategy for a stage with this operator; `StrategyRefused` when it cannot work there. */
export function checkStrategy(
  { name, options }: StrategyChoice,
  operator: Operator,
  { components, numWorkers }: Pick<RunPlan, 'components' | 'numWorkers'>,
): void {
  const entry = entryNamed(name);
  if (!entry.isFor(operator)) throw notForStages(name);
  const setting = { components: components.filter(({ tunable }) => tunable).map(({ key }) => key), workers: numWorkers };
  const misfit = entry.misfit(parsedOptions(entry, options), setting);
  if (misfit !== null) throw new PlatformFailure('StrategyRefused', `${name}: ${misfit.what}`, misfit.fix);
}

function entryNamed(name: string): StrategyEntry {
  const entry = STRATEGIES.find((strategy) => strategy.name === name) ?? ownEntryNamed(name);
  if (entry !== null) return entry;
  const names = STRATEGIES.map((strategy) => strategy.name).join(', ');
  const what =
    name === 'pipeline'
      ? 'pipeline is a chain over the stages of a run, not a way to split one stage'
      : `there is no strategy named ${name}`;
  throw new PlatformFailure('StrategyRefused', what, `choose one of: ${names}`);
}

function parsedOptions(entry: StrategyEntry, options: unknown): unknown {
  const parsed = entry.options.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`).join('; ');
  throw new PlatformFailure(
    'StrategyRefused',
    oneLine(`the options of strategy ${entry.name} do not fit: ${problems}`),
    'see docs/strategies.md, or scientist strategies',
  );
}

function notForStages(name: string): PlatformFailure {
  return new PlatformFailure(
    'StrategyRefused',
    `the strategy ${name} is not for the stages that it was chosen for`,
    'name it under strategy.stages for a stage that it is for: scientist strategies',
  );
}
