import { getExternalWorkflowHandle, log, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributePair } from '@temporalio/common';
import { MESSAGES, type StageProgress } from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import { stageDetails } from '../report/details.ts';
import { stageStatus } from './stage-status.ts';
import { bestRecord, type StageRuntime } from './stage-runtime.ts';

/** What the Web UI and `temporal workflow list` see of a run, beside its history. */

/** Values of the search attributes; those that the server does not know are left out, as it would hang the run. */
export interface Visible {
  readonly ResearchTask?: string;
  readonly ResearchStage?: string;
  readonly ResearchStatus?: string;
  readonly ResearchBest?: number;
  readonly ResearchNodes?: number;
  readonly ResearchBuggy?: number;
}

/** The search attributes that are registered, as the SDK wants them. */
export function searchAttributes(plan: Pick<RunPlan, 'searchAttributes'>, values: Visible): SearchAttributePair[] {
  const keyword = (name: string, value: string): SearchAttributePair => ({ key: { name, type: 'KEYWORD' }, value });
  const double = (name: string, value: number): SearchAttributePair => ({ key: { name, type: 'DOUBLE' }, value });
  const int = (name: string, value: number): SearchAttributePair => ({ key: { name, type: 'INT' }, value });
  const pairs = Object.entries(values).map(([name, value]: [string, string | number]) => {
    if (typeof value === 'string') return keyword(name, value);
    return name === 'ResearchBest' ? double(name, value) : int(name, value);
  });
  return pairs.filter(({ key }) => plan.searchAttributes.includes(key.name));
}

/** Sets search attributes of this workflow. */
export function show(plan: Pick<RunPlan, 'searchAttributes'>, values: Visible): void {
  const pairs = searchAttributes(plan, values);
  if (pairs.length > 0) upsertSearchAttributes(pairs);
}

/** Brings counts, best metric and current details of a stage up to date. */
export function showProgress(runtime: StageRuntime): void {
  const { state, plan } = runtime;
  const best = bestRecord(runtime);
  show(plan, {
    ResearchNodes: state.journal.nodes.length,
    ResearchBuggy: state.outcomes.buggy,
    ...(best === undefined ? {} : { ResearchBest: best.metric }),
  });
  showDetails(runtime);
}

/** Brings the current details of a stage alone up to date; this leaves no trace in the history. */
export function showDetails(runtime: StageRuntime): void {
  setCurrentDetails(stageDetails(stageStatus(runtime), runtime.plan.metric));
}

/** Tells the run of a new best node, or that the best one was pruned and there is no other; a run that is gone is no fault of the stage. */
export function tellRun(runtime: StageRuntime, best: GoodNode | null): void {
  const parent = workflowInfo().parent;
  if (parent === undefined) return;
  const progress: StageProgress = { stage: runtime.definition.name, best };
  getExternalWorkflowHandle(parent.workflowId)
    .signal(MESSAGES.stageProgress, progress)
    .catch((error: unknown) => {
      log.warn('the run could not be told of a new best node', { error: String(error) });
    });
}
