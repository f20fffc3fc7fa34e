import { setCurrentDetails } from '@temporalio/workflow';
import { clip } from '../domain/failure.ts';
import type { ParkedStage, RunStatus } from '../domain/messages.ts';
import { runDetails } from '../report/details.ts';
import type { RunState } from './run-state.ts';
import { show } from './visibility.ts';

/** The answer of a run's `status` query. */
export function runStatus(run: RunState): RunStatus {
  return {
    runId: run.runId,
    task: run.plan?.task ?? '',
    state: stateWord(run),
    stage: run.stage,
    finished: run.finished,
    waitingFor: waitingFor(run),
    parked: run.parked,
  };
}

/** Brings the run's current details up to date. */
export function showRun(run: RunState): void {
  if (run.plan === null) return;
  setCurrentDetails(runDetails(runStatus(run), run.best, run.plan.metric));
}

/** Brings the run's search attribute and its current details up to date. */
export function showState(run: RunState): void {
  if (run.plan !== null) show(run.plan, { ResearchStatus: attributeOf(run) });
  showRun(run);
}

function attributeOf({ parked, paused }: RunState): string {
  if (parked !== null) return 'needs_attention';
  return paused ? 'paused' : 'running';
}

function stateWord(run: RunState): RunStatus['state'] {
  if (run.phase !== 'running') return run.phase;
  if (run.stop) return 'stopping';
  if (run.parked !== null) return 'needs_attention';
  return run.paused ? 'paused' : 'running';
}

function waitingFor({ phase, parked, paused }: RunState): string | null {
  if (phase === 'resolving') return 'the control worker, to read the config';
  if (phase === 'running' && parked !== null) return parkedText(parked);
  return paused ? 'a person paused the run' : null;
}

function parkedText({ stage, why }: ParkedStage): string {
  return `a person: stage ${stage} failed (${clip(why, 120)}); mend the cause, then retry or skip the stage, or stop the run`;
}
