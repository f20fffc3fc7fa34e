import { allHandlersFinished, CancellationScope, condition, isCancellation, log, workflowInfo } from '@temporalio/workflow';
import { RunId, STAGE_NAMES } from '../domain/ids.ts';
import type { ResearchResult, RunOutcome, StageSummary } from '../domain/messages.ts';
import { ResearchInput, RunPlan } from '../domain/run-plan.ts';
import { checkStrategies } from '../strategies/registry.ts';
import { control, reporter, resolver } from './activity-proxies.ts';
import { whenThereIsSpace } from './disk-full.ts';
import { orFailWorkflow, parseInput } from './failures.ts';
import { isPatched } from './patches.ts';
import { handleRunMessages } from './run-messages.ts';
import { goThroughStages, passOver } from './run-stages.ts';
import { newRun, withPlan, type RunState } from './run-state.ts';
import { show } from './visibility.ts';

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
  orFailWorkflow(() => checkStrategies(plan));
  withPlan(run, plan);
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

async function report(run: RunState, plan: RunPlan, outcome: RunOutcome): Promise<ResearchResult> {
  run.phase = 'reporting';
  await enterNotes(run, plan);
  run.stage = null;
  const stages: StageSummary[] = run.finished;
  const report = { runId: plan.runId, outcome, best: run.best?.id ?? null, stages };
  const written = await whenThereIsSpace(() => reporter(plan).writeReport(report));
  run.phase = 'finished';
  show(plan, { ResearchStatus: outcome, ...(run.best === null ? {} : { ResearchBest: run.best.metric }) });
  await condition(allHandlersFinished);
  return { runId: plan.runId, outcome, best: run.best, stages, report: written.report };
}

/** Enters in the journal what a person did and no stage was there to enter. The report does not depend on it. */
async function enterNotes(run: RunState, plan: RunPlan): Promise<void> {
  if (run.notes.length === 0 || !isPatched('noteRunMessages')) return;
  const stage = run.stage ?? STAGE_NAMES[0];
  try {
    if (!run.isNextFree) await passOver(run, plan, stage);
    const { recordEvent } = control(plan, 'record what a person did');
    for (let message = run.notes[0]; message !== undefined; message = run.notes[0]) {
      await recordEvent({ runId: plan.runId, event: { kind: 'steered', seq: run.next.nextSeq, stage, message } });
      run.next = { ...run.next, nextSeq: run.next.nextSeq + 1 };
      run.notes.shift();
    }
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('what a person did could not be entered in the journal', { error: String(error) });
  }
}
