import {
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
  WorkflowIdReusePolicy,
  type ChildWorkflowOptions,
} from '@temporalio/workflow';
import { RunId, stageWorkflowId, type StageName } from '../domain/ids.ts';
import { WORKFLOW_TYPES, type ResearchResult, type RunOutcome, type StageSummary } from '../domain/messages.ts';
import { ResearchInput, RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import { bindStrategy } from '../strategies/registry.ts';
import { reporter, resolver } from './activity-proxies.ts';
import { orFailWorkflow, parseInput } from './failures.ts';
import { handleRunMessages, showRun, type RunState } from './run-messages.ts';
import { StageResult, type StageInput } from './stage-input.ts';
import { searchAttributes, show } from './visibility.ts';

/**
 * A research run: resolves its input, goes through the stages in order, carries the best node on, and
 * writes the report, whatever happened. It never continues as new while a stage runs, since that would
 * cancel the stage.
 */
export async function research(raw: unknown): Promise<ResearchResult> {
  const run = newRun(parseInput(RunId, workflowInfo().workflowId));
  handleRunMessages(run);
  const input = parseInput(ResearchInput, raw);
  const plan = parseInput(RunPlan, await resolver().resolveRun(input));
  orFailWorkflow(() => bindStrategy(plan.strategy.name, plan.strategy.options));
  run.plan = plan;
  show(plan, { ResearchTask: plan.task, ResearchStatus: 'running' });
  try {
    const outcome = await goThroughStages(run, plan);
    return await report(run, plan, outcome);
  } catch (error) {
    const outcome = isCancellation(error) ? 'cancelled' : 'stopped';
    await CancellationScope.nonCancellable(() => report(run, plan, outcome));
    throw error;
  }
}

function newRun(runId: RunId): RunState {
  return {
    runId,
    plan: null,
    phase: 'resolving',
    stage: null,
    finished: [],
    best: null,
    paused: false,
    stop: false,
    skipped: new Set(),
    workers: null,
  };
}

async function goThroughStages(run: RunState, plan: RunPlan): Promise<RunOutcome> {
  run.phase = 'running';
  let next = { nextNode: 1, nextSeq: 0 };
  for (const definition of plan.stages) {
    if (run.stop) return 'stopped';
    if (run.skipped.has(definition.name)) continue;
    const result = await runStageOf(run, plan, { definition, next });
    next = result;
    run.finished.push(result.summary);
    run.best = result.summary.best ?? run.best;
    showRun(run);
    if (CancellationScope.current().consideredCancelled) return 'cancelled';
    if (result.summary.best === null && result.summary.reason !== 'stopped') return 'no_good_node';
  }
  return run.stop ? 'stopped' : 'completed';
}

async function runStageOf(
  run: RunState,
  plan: RunPlan,
  at: { definition: StageDefinition; next: { nextNode: number; nextSeq: number } },
): Promise<StageResult> {
  const stage = at.definition.name;
  run.stage = stage;
  show(plan, { ResearchStage: stage });
  showRun(run);
  const input: StageInput = {
    plan,
    stage,
    carried: run.finished.at(-1)?.best ?? null,
    nextNode: at.next.nextNode,
    nextSeq: at.next.nextSeq,
    workers: run.workers ?? plan.numWorkers,
    paused: run.paused,
    resumed: null,
  };
  const args: [StageInput] = [input];
  return StageResult.parse(await executeChild<StageWorkflow>(WORKFLOW_TYPES[stage], { ...childOptions(plan, stage), args }));
}

type StageWorkflow = (input: StageInput) => Promise<StageResult>;

/**
 * A stage's result is awaited even when the run is cancelled, since it ends by itself then and says what
 * there is. Its id is fixed; after a reset of the run to before the stage, the old one is ended first.
 */
function childOptions(plan: RunPlan, stage: StageName): ChildWorkflowOptions {
  return {
    workflowId: stageWorkflowId(plan.runId, stage),
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Deprecated for clients, and the only means that a child workflow has.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    workflowIdReusePolicy: WorkflowIdReusePolicy.TERMINATE_IF_RUNNING,
    staticSummary: `${stage} of ${plan.runId}`,
    typedSearchAttributes: searchAttributes(plan, { ResearchTask: plan.task, ResearchStage: stage, ResearchStatus: 'running' }),
  };
}

async function report(run: RunState, plan: RunPlan, outcome: RunOutcome): Promise<ResearchResult> {
  run.phase = 'reporting';
  run.stage = null;
  const stages: StageSummary[] = run.finished;
  const written = await reporter(plan).writeReport({ runId: plan.runId, outcome, best: run.best?.id ?? null, stages });
  run.phase = 'finished';
  show(plan, { ResearchStatus: outcome, ...(run.best === null ? {} : { ResearchBest: run.best.metric }) });
  return { runId: plan.runId, outcome, best: run.best, stages, report: written.report };
}
