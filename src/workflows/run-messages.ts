import { defineQuery, defineUpdate, getExternalWorkflowHandle, log, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { STAGE_NAMES, stageWorkflowId, type RunId, type StageName } from '../domain/ids.ts';
import {
  MESSAGES,
  PausePayload,
  SetWorkersPayload,
  SkipStagePayload,
  StageProgress,
  StopPayload,
  type Outcomes,
  type RunStatus,
  type StageSummary,
} from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import { runDetails } from '../report/details.ts';
import { totalOutcomes } from '../report/totals.ts';
import { onSignal, parseOrRefuse, refusal } from './handlers.ts';
import { show } from './visibility.ts';

/** What a run is while its workflow runs. */
export interface RunState {
  readonly runId: RunId;
  plan: RunPlan | null;
  phase: 'resolving' | 'running' | 'reporting' | 'finished';
  stage: StageName | null;
  finished: StageSummary[];
  /** The best node of the finished stages, else of the current one. */
  best: GoodNode | null;
  paused: boolean;
  stop: boolean;
  /** Stages that a person skipped before they began. */
  readonly skipped: Set<StageName>;
  /** Workers for the stages to come; `null` for the plan's. */
  workers: number | null;
}

/** Messages of a run; what concerns the current stage is sent on to it. Signal handlers never throw. */
export function handleRunMessages(run: RunState): void {
  onSignal(
    { name: MESSAGES.pause, description: 'start nothing new; what runs goes on' },
    PausePayload.prefault({}),
    (payload) => {
      setPaused(run, true);
      tellStage(run, MESSAGES.pause, payload);
    },
  );
  onSignal({ name: MESSAGES.unpause, description: 'go on after a pause' }, PausePayload.prefault({}), (payload) => {
    setPaused(run, false);
    tellStage(run, MESSAGES.unpause, payload);
  });
  onSignal(
    { name: MESSAGES.stop, description: 'end the run with a report: {"mode": "drain"} or {"mode": "now"}' },
    StopPayload.prefault({}),
    (payload) => {
      run.stop = true;
      tellStage(run, MESSAGES.stop, payload);
    },
  );
  onSignal({ name: MESSAGES.stageProgress, description: 'from a stage: a new best node' }, StageProgress, ({ best }) => {
    run.best = best;
    showRun(run);
  });
  handleUpdates(run);
  handleQueries(run);
}

function handleUpdates(run: RunState): void {
  setHandler(
    defineUpdate<{ stage: StageName }, [unknown]>(MESSAGES.skipStage),
    (raw) => {
      const { stage } = SkipStagePayload.parse(raw);
      if (stage === run.stage) tellStage(run, MESSAGES.skipStage, {});
      else run.skipped.add(stage);
      return { stage };
    },
    {
      validator: (raw) => {
        refuseSkip(run, raw);
      },
      description: 'end or leave out a stage: {"stage": "ablation_studies"}',
    },
  );
  setHandler(
    defineUpdate<{ workers: number }, [unknown]>(MESSAGES.setWorkers),
    (raw) => {
      const payload = SetWorkersPayload.parse(raw);
      run.workers = payload.workers;
      tellStage(run, MESSAGES.setWorkers, payload);
      return payload;
    },
    {
      validator: (raw) => {
        parseOrRefuse(SetWorkersPayload, raw);
      },
      description: 'plan workers from the next plan on: {"workers": 2}',
    },
  );
}

function handleQueries(run: RunState): void {
  setHandler(defineQuery<RunStatus>(MESSAGES.status), () => runStatus(run), { description: 'what the run is doing' });
  setHandler(defineQuery<GoodNode | null>(MESSAGES.best), () => run.best, { description: 'the best node so far' });
  setHandler(defineQuery<Outcomes>(MESSAGES.outcomes), () => totalOutcomes(run.finished), {
    description: 'what became of the items of finished stages',
  });
  setHandler(defineQuery<RunPlan | null>(MESSAGES.plan), () => run.plan, { description: 'the resolved plan' });
  setHandler(defineQuery<StageSummary[]>(MESSAGES.journal), () => run.finished, {
    description: 'how the finished stages ended; the nodes are in the journal query of <run>/<stage>',
  });
}

function setPaused(run: RunState, paused: boolean): void {
  run.paused = paused;
  if (run.plan !== null) show(run.plan, { ResearchStatus: paused ? 'paused' : 'running' });
  showRun(run);
}

/** Brings the run's current details up to date. */
export function showRun(run: RunState): void {
  if (run.plan === null) return;
  setCurrentDetails(runDetails(runStatus(run), run.best, run.plan.metric));
}

/** The answer of a run's `status` query. */
function runStatus(run: RunState): RunStatus {
  return {
    runId: run.runId,
    task: run.plan?.task ?? '',
    state: stateWord(run),
    stage: run.stage,
    finished: run.finished,
    waitingFor:
      run.phase === 'resolving' ? 'the control worker, to read the config' : run.paused ? 'a person paused the run' : null,
  };
}

function stateWord(run: RunState): RunStatus['state'] {
  if (run.phase !== 'running') return run.phase;
  if (run.stop) return 'stopping';
  return run.paused ? 'paused' : 'running';
}

function refuseSkip(run: RunState, raw: unknown): void {
  const { stage } = parseOrRefuse(SkipStagePayload, raw);
  const current = run.stage === null ? -1 : STAGE_NAMES.indexOf(run.stage);
  const index = STAGE_NAMES.indexOf(stage);
  if (run.finished.some((summary) => summary.stage === stage)) throw refusal(`stage ${stage} is over`);
  if (index < current) throw refusal(`stage ${stage} is over`);
  if (index === 0 && run.best === null) throw refusal(`stage ${stage} cannot be skipped yet: there is no good node to carry on`);
}

function tellStage(run: RunState, name: string, payload: unknown): void {
  if (run.stage === null) return;
  getExternalWorkflowHandle(stageWorkflowId(run.runId, run.stage))
    .signal(name, payload)
    .catch((error: unknown) => {
      log.warn(`the stage could not be told: ${name}`, { error: String(error) });
    });
}
