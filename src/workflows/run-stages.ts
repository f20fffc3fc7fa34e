import {
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  type ChildWorkflowOptions,
} from '@temporalio/workflow';
import { clip } from '../domain/failure.ts';
import { STAGE_NAMES, stageWorkflowId, type StageName } from '../domain/ids.ts';
import { JournalEnd } from '../domain/journal-end.ts';
import { noOutcomes, WORKFLOW_TYPES, type RunOutcome, type StageSummary } from '../domain/messages.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import { control } from './activity-proxies.ts';
import { isPatched } from './patches.ts';
import { budgetLeft, carriedNode, type RunState } from './run-state.ts';
import { showRun, showState } from './run-status.ts';
import { StageResult, type StageInput } from './stage-input.ts';
import { searchAttributes, show } from './visibility.ts';

/**
 * The stages of a run, one after the other, each from the best node of those before.
 *
 * R3 A stage that fails parks the run (where its plan says so): it waits until a person retries or skips the
 *    stage, or stops or cancels the run. Node and event numbers go on behind all that the stage can have used.
 */
export async function goThroughStages(run: RunState, plan: RunPlan): Promise<RunOutcome> {
  run.phase = 'running';
  for (const definition of stagesOf(plan)) {
    if (run.stop) return 'stopped';
    if (run.skipped.has(definition.name)) continue;
    const summary = await untilDone(run, plan, definition);
    if (summary === null) return 'stopped';
    run.finished.push(summary);
    const carried = carriedNode(run);
    run.best = summary.best ?? (carried?.status === 'good' ? carried : null);
    showRun(run);
    if (CancellationScope.current().consideredCancelled) return 'cancelled';
    if (summary.best === null && summary.reason !== 'stopped' && !goesOn(summary, carried !== null)) return 'no_good_node';
  }
  return run.stop ? 'stopped' : 'completed';
}

/** The stages of a run; a fork leaves out those before its start. */
function stagesOf({ stages, start }: RunPlan): readonly StageDefinition[] {
  return start === null ? stages : stages.slice(STAGE_NAMES.indexOf(start.stage));
}

/** A stage that was skipped before it had evaluated the node that it was given hands that on. */
function goesOn({ reason }: StageSummary, isCarried: boolean): boolean {
  return reason === 'skipped' && isCarried && isPatched('carryPastSkipped');
}

/** A stage to its end, through as many failures as a person wants to retry; `null` when the run is to stop instead. */
async function untilDone(run: RunState, plan: RunPlan, definition: StageDefinition): Promise<StageSummary | null> {
  for (;;) {
    try {
      const { summary, nextNode, nextSeq, lost } = await runStageOf(run, plan, definition.name);
      run.lost = lost;
      run.next = { nextNode, nextSeq };
      run.isNextFree = true;
      run.made += summary.outcomes.dispatched;
      return summary;
    } catch (error) {
      if (isCancellation(error) || plan.onStageFailure === 'fail') throw error;
      const decision = await parked(run, definition.name, whyOf(error));
      if (decision === 'stop') return null;
      const summary = await passOver(run, plan, definition.name);
      if (decision === 'skip') return summary;
    }
  }
}

async function runStageOf(run: RunState, plan: RunPlan, stage: StageName): Promise<StageResult> {
  run.stage = stage;
  run.isNextFree = false;
  show(plan, { ResearchStage: stage });
  showRun(run);
  const workers = run.workers ?? plan.numWorkers;
  run.mostWorkers = Math.max(run.mostWorkers, workers);
  const input: StageInput = {
    plan,
    stage,
    carried: carriedNode(run),
    ...run.next,
    workers,
    paused: run.paused,
    pausedMode: run.pausedMode,
    budgetLeft: budgetLeft(run),
    maxNodes: run.limits.get(stage) ?? null,
    notes: run.notes.splice(0),
    lost: run.lost,
    chain: run.finished.flatMap((summary) => (summary.best === null ? [] : [{ stage: summary.stage, node: summary.best }])),
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
    typedSearchAttributes: searchAttributes(plan, { ResearchTask: plan.task, ResearchStage: stage }),
  };
}

/** Waits for a person to decide what becomes of a stage that failed. */
async function parked(run: RunState, stage: StageName, why: string): Promise<'retry' | 'skip' | 'stop'> {
  run.parked = { stage, why };
  run.decision = null;
  showState(run);
  await condition(() => run.decision !== null || run.stop);
  run.parked = null;
  if (run.stop) return 'stop';
  showState(run);
  return decided(run) ?? 'stop';
}

/** What was decided meanwhile. */
function decided({ decision }: RunState): RunState['decision'] {
  return decision;
}

/**
 * Goes on behind a stage that failed: what it entered in the journal counts, and its numbers are not used again.
 * Those of nodes are numbers given out, which are nodes, dropped items and as many in flight as there are workers.
 */
export async function passOver(run: RunState, plan: RunPlan, stage: StageName): Promise<StageSummary> {
  const { journalEnd } = control(plan, `the journal of ${stage}, which failed`);
  const end = JournalEnd.parse(await journalEnd({ runId: plan.runId, from: run.next.nextSeq }));
  const { good, buggy, dropped } = end;
  run.made += good + buggy;
  run.next = { nextNode: run.next.nextNode + good + buggy + dropped + run.mostWorkers, nextSeq: end.nextSeq };
  run.isNextFree = true;
  const outcomes = { ...noOutcomes(), dispatched: good + buggy, good, buggy };
  return { stage, reason: 'skipped', text: 'a person skipped the stage after it failed', best: run.best, outcomes };
}

/** What a failed stage says, without what Temporal wraps it in. */
function whyOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return clip(at instanceof Error ? at.message : String(at), 300);
}
