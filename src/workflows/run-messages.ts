import { defineQuery, setHandler } from '@temporalio/workflow';
import { MESSAGES, StageProgress, type Outcomes, type RunStatus, type StageSummary } from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import { because, PausePayload, pauseText, StopPayload, UnpausePayload } from '../domain/steering.ts';
import { totalOutcomes } from '../report/totals.ts';
import { onSignal } from './handlers.ts';
import { tellStage, type RunState } from './run-state.ts';
import { runStatus, showRun, showState } from './run-status.ts';
import { handleRunUpdates } from './run-updates.ts';

/** Messages of a run; what concerns the current stage is sent on to it. Signal handlers never throw. */
export function handleRunMessages(run: RunState): void {
  const refused = (): void => {
    run.badSignals++;
  };
  onSignal(
    { refused, name: MESSAGES.pause, description: 'start nothing new; {"mode": "checkpoint"} frees the devices too' },
    PausePayload.prefault({}),
    (payload) => {
      run.paused = true;
      run.pausedMode = payload.mode;
      showState(run);
      void tellStage(run, MESSAGES.pause, { payload, note: pauseText(payload) });
    },
  );
  onSignal({ refused, name: MESSAGES.unpause, description: 'go on after a pause' }, UnpausePayload.prefault({}), (payload) => {
    run.paused = false;
    showState(run);
    void tellStage(run, MESSAGES.unpause, { payload, note: because('unpaused', payload.reason) });
  });
  onSignal(
    { refused, name: MESSAGES.stop, description: 'end the run with a report: {"mode": "drain"} or {"mode": "now"}' },
    StopPayload.prefault({}),
    (payload) => {
      run.stop = true;
      void tellStage(run, MESSAGES.stop, { payload, note: because(`stopped (${payload.mode})`, payload.reason) });
    },
  );
  onSignal({ refused, name: MESSAGES.stageProgress, description: 'from a stage: a new best node' }, StageProgress, ({ best }) => {
    run.best = best;
    showRun(run);
  });
  handleRunUpdates(run);
  handleQueries(run);
}

function runOutcomes({ finished, badSignals }: RunState): Outcomes {
  const outcomes = totalOutcomes(finished);
  return { ...outcomes, badSignals: outcomes.badSignals + badSignals };
}

function handleQueries(run: RunState): void {
  setHandler(defineQuery<RunStatus>(MESSAGES.status), () => runStatus(run), { description: 'what the run is doing' });
  setHandler(defineQuery<GoodNode | null>(MESSAGES.best), () => run.best, { description: 'the best node so far' });
  setHandler(defineQuery<Outcomes>(MESSAGES.outcomes), () => runOutcomes(run), {
    description: 'what became of the items of finished stages, and the bad signals to the run itself',
  });
  setHandler(defineQuery<RunPlan | null>(MESSAGES.plan), () => run.plan, { description: 'the resolved plan' });
  setHandler(defineQuery<StageSummary[]>(MESSAGES.journal), () => run.finished, {
    description: 'how the finished stages ended; the nodes are in the journal query of <run>/<stage>',
  });
}
