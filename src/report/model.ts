import type { Experiment } from '../domain/experiment.ts';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';
import type { RunOutcome, StageSummary } from '../domain/messages.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { searchSeed, type RunPlan } from '../domain/run-plan.ts';
import { bestNodeReport } from './best-node.ts';
import { headline } from './headline.ts';
import { sumCounts } from './losses.ts';
import { readJournal } from './read-journal.ts';
import type { ReportModel, RunFacts } from './schema.ts';
import { stageReport } from './stage-report.ts';
import { titleText } from './words.ts';

/** What a report is made from. The journal and what the run was resolved to decide; the rest fills gaps. */
export interface ReportInput {
  readonly resolved: ResolvedRun;
  readonly events: readonly JournalEvent[];
  readonly outcome: RunOutcome;
  /** How the stages ended, for those whose end is not in the journal. */
  readonly stages: readonly StageSummary[];
  /** The best node as the run named it; without it the best of the last stage that has one. */
  readonly best?: NodeId | null;
  /** Experiments by ref, as many as could be read: what the changed keys' values are taken from. */
  readonly experiments?: ReadonlyMap<Ref, Experiment>;
}

/**
 * The report of a run as data. Total: any list of valid events gives a report, also of a run that was
 * stopped, found nothing or never began. Deterministic: equal input gives an equal report.
 */
export function buildReport(input: ReportInput): ReportModel {
  const { resolved, outcome } = input;
  const experiments = input.experiments ?? new Map<Ref, Experiment>();
  const records = readJournal(resolved, input.events, experiments);
  const stages = records.stages.map((stage) => {
    const summary = input.stages.find(({ stage: name }) => name === stage.definition.name);
    return stageReport(records, stage, { outcome, summary });
  });
  const best = bestNodeReport(records, { named: input.best ?? null, stages, experiments });
  return {
    v: 1,
    run: runFacts(resolved),
    outcome,
    headline: headline(resolved.plan.metric, best, stages.slice(firstStage(resolved))),
    counts: sumCounts(stages.map(({ counts }) => counts)),
    best,
    stages,
  };
}

/** Index of the stage that a run begins with. */
function firstStage({ plan }: ResolvedRun): number {
  return plan.start === null ? 0 : plan.stages.findIndex(({ name }) => name === plan.start?.stage);
}

function runFacts({ plan, config, task, forkedFrom, goal, warnings, ignoredKeys, environment }: ResolvedRun): RunFacts {
  return {
    id: plan.runId,
    task: plan.task,
    goal,
    metric: plan.metric,
    forkedFrom,
    datasets: task.datasets,
    searchSeed: searchSeed(plan),
    numSeeds: plan.replication.numSeeds,
    devices: plan.devices.map(({ name, kind, host }) => ({ name, kind, host })),
    workers: plan.numWorkers,
    tier: config.exec.sandbox,
    strategy: strategiesText(plan),
    schedule: plan.schedule,
    proposer: config.proposer.kind,
    deterministic: config.deterministic,
    python: environment.pythonVersion,
    warnings,
    ignoredKeys,
  };
}

/** The strategy of the run, and of the stages that have another. */
function strategiesText({ strategy, stageStrategies }: RunPlan): string {
  const others = Object.entries(stageStrategies).map(([stage, { name }]) => `${name} in ${titleText(stage)}`);
  return [strategy.name, ...others].join(', ');
}
