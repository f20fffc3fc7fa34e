import { STAGE_NAMES, type StageName } from '../domain/ids.ts';
import { MESSAGES } from '../domain/messages.ts';
import {
  RetryStagePayload,
  SetBudgetPayload,
  SetWorkersPayload,
  SkipStagePayload,
  type StageBudgetPayload,
} from '../domain/steering.ts';
import { onUpdate } from './handlers.ts';
import { budgetLeft, carriedNode, noteFor, tellStage, type RunState } from './run-state.ts';

/** What can be refused to a person who steers a run. */
export function handleRunUpdates(run: RunState): void {
  onUpdate(
    {
      name: MESSAGES.skipStage,
      description: 'end or leave out a stage: {"stage": "ablation_studies"}',
      whyNot: ({ stage }) => whyNotSkip(run, stage),
    },
    SkipStagePayload,
    (payload) => {
      skip(run, payload);
      return payload;
    },
  );
  onUpdate(
    {
      name: MESSAGES.retryStage,
      description: 'begin the stage that failed anew: {"stage": "baseline_tuning"}',
      whyNot: ({ stage }) => whyNotRetry(run, stage),
    },
    RetryStagePayload,
    (payload) => {
      run.decision = 'retry';
      noteFor(run, `stage ${payload.stage} begun anew after it failed: ${run.parked?.why ?? ''}`);
      return payload;
    },
  );
  onUpdate(
    { name: MESSAGES.setWorkers, description: 'plan workers from the next plan on: {"workers": 2}' },
    SetWorkersPayload,
    (payload) => {
      run.workers = payload.workers;
      run.mostWorkers = Math.max(run.mostWorkers, payload.workers);
      void tellStage(run, MESSAGES.setWorkers, { payload, note: `workers set to ${payload.workers}` });
      return payload;
    },
  );
  onUpdate(
    {
      name: MESSAGES.setBudget,
      description: 'nodes at most, made ones included: {"nodes": 40}, or of a stage: {"nodes": 9, "stage": "baseline_tuning"}',
      whyNot: (payload) => whyNotBudget(run, payload),
    },
    SetBudgetPayload,
    (payload) => setBudget(run, payload),
  );
}

function skip(run: RunState, payload: SkipStagePayload): void {
  const { stage } = payload;
  const note = `stage ${stage} skipped`;
  if (run.parked?.stage === stage) {
    run.decision = 'skip';
    noteFor(run, `${note} after it failed: ${run.parked.why}`);
  } else if (stage === run.stage) {
    void tellStage(run, MESSAGES.skipStage, { payload: {}, note });
  } else {
    run.skipped.add(stage);
    noteFor(run, note);
  }
}

/** Resolves when the stage that runs has the new limit, so that nothing is given out beyond it from then on. */
async function setBudget(run: RunState, payload: SetBudgetPayload): Promise<SetBudgetPayload> {
  const { nodes, stage } = payload;
  const note = noteOf(payload);
  if (stage === undefined) run.budget = { nodes };
  else if (nodes !== null) run.limits.set(stage, nodes);
  if (stage !== undefined && stage !== run.stage) {
    noteFor(run, note);
    return payload;
  }
  const told: StageBudgetPayload =
    stage === undefined || nodes === null ? { note, budgetLeft: budgetLeft(run) } : { note, maxNodes: nodes };
  await tellStage(run, MESSAGES.setBudget, { payload: told, note });
  return payload;
}

function noteOf({ nodes, stage }: SetBudgetPayload): string {
  if (stage !== undefined) return `limit of stage ${stage} set to ${nodes} nodes`;
  return nodes === null ? 'budget of nodes lifted' : `budget of the run set to ${nodes} nodes`;
}

function whyNotSkip(run: RunState, stage: StageName): string | null {
  const problem = whyNotAhead(run, stage);
  if (problem !== null) return problem;
  const isFirst = stage === (run.plan?.start?.stage ?? STAGE_NAMES[0]);
  const hasSome = run.best !== null || carriedNode(run) !== null;
  return isFirst && !hasSome ? `stage ${stage} cannot be skipped yet: there is no good node to carry on` : null;
}

function whyNotRetry(run: RunState, stage: StageName): string | null {
  if (run.parked?.stage === stage) return null;
  if (run.finished.some((summary) => summary.stage === stage))
    return `stage ${stage} is over, and what follows builds on it; start anew from one of its nodes instead: scientist fork ${run.runId} --from NODE`;
  return stage === run.stage ? `stage ${stage} has not failed` : `stage ${stage} has not begun`;
}

function whyNotBudget(run: RunState, { stage }: SetBudgetPayload): string | null {
  if (run.phase === 'reporting' || run.phase === 'finished') return 'the run makes no more nodes: its report is being written';
  return stage === undefined ? null : whyNotAhead(run, stage);
}

/** Why nothing can be changed about a stage; `null` while it runs or is still to come. */
function whyNotAhead(run: RunState, stage: StageName): string | null {
  const current = run.stage === null ? -1 : STAGE_NAMES.indexOf(run.stage);
  const isOver = STAGE_NAMES.indexOf(stage) < current || run.finished.some((summary) => summary.stage === stage);
  return isOver ? `stage ${stage} is over` : null;
}
