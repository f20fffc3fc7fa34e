import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { clip } from '../domain/failure.ts';
import type { StageSummary } from '../domain/messages.ts';
import { completion, emptyBacklog, type Completion } from '../search/completion.ts';
import { carriedState } from '../search/carried-state.ts';
import { control } from './activity-proxies.ts';
import { enterBlame } from './blame.ts';
import { applyBase, applyFinished, note } from './apply.ts';
import { orFailWorkflow } from './failures.ts';
import { giveOut } from './give-out.ts';
import { evaluateBase } from './item-work.ts';
import { isPatched } from './patches.ts';
import type { StageInput, StageResult } from './stage-input.ts';
import { handleStageMessages, stopStage } from './stage-messages.ts';
import { bestRecord, policyInput, stageRuntime, type StageRuntime } from './stage-runtime.ts';
import { showProgress } from './visibility.ts';
import { watchDevices } from './watching.ts';

/** Nodes in a row that fail for reasons of the platform before a stage gives up; one for each worker at least. */
const LEAST_WASTED = 3;

/**
 * One stage: backlog, plan, dispatch, observe, journal, until a completion rule holds; then replicas and
 * figures. All decisions are in the core; this file says in which order they are asked for.
 *
 * R1 Continue-as-new only with nothing in flight.
 * R2 A cancellation is taken as `stop now`: what runs is ended and journalled, and the stage gives its result.
 */
export async function runStage(input: StageInput): Promise<StageResult> {
  const runtime = stageRuntime(input);
  handleStageMessages(runtime);
  const stopWatching = watchDevices(runtime);
  const work = workThrough(runtime);
  try {
    return await work;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    stopStage(runtime, 'now', 'the run was cancelled');
    return await CancellationScope.nonCancellable(() => workThrough(runtime));
  } finally {
    stopWatching();
  }
}

async function workThrough(runtime: StageRuntime): Promise<StageResult> {
  if (runtime.phase === 'opening' && runtime.steering.stop === null) await open(runtime);
  runtime.phase = 'searching';
  const reason = await untilDone(runtime, () => completion(policyInput(runtime)));
  if (runtime.steering.stop === null) {
    runtime.phase = 'closing';
    await untilDone(runtime, () => null);
  }
  return finish(runtime, reason);
}

async function open(runtime: StageRuntime): Promise<void> {
  const { carried, resumed } = runtime.input;
  if (resumed !== null) return;
  await note(runtime, { kind: 'stage_started', carried: carried?.id ?? null });
  for (const message of runtime.input.notes) await note(runtime, { kind: 'steered', message });
  if (carried === null) return;
  const { activeComponents } = control(runtime.plan, `components of ${carried.id}`);
  const { keys, intact } = await activeComponents({ runId: runtime.plan.runId, experiment: carried.experiment });
  runtime.state = { ...runtime.state, activeKeys: runtime.definition.operator === 'ablate' ? intact : keys };
  const context = { plan: runtime.plan, pool: runtime.pool, title: `base ${carried.id}`, doing: () => undefined };
  const outcome = await runtime.opening
    .run(() => evaluateBase(context, runtime.definition, carried))
    .catch(unlessStopped(runtime));
  if (outcome !== null) await applyBase(runtime, outcome);
}

/** A base whose evaluation a person stopped is left out; any other failure goes on. */
function unlessStopped(runtime: StageRuntime): (error: unknown) => null {
  return (error) => {
    if (isCancellation(error) && runtime.steering.stop !== null) return null;
    throw error;
  };
}

/** Gives out work until there is none: `isDone` ends it early, an empty backlog ends it in any case. */
async function untilDone(runtime: StageRuntime, isDone: () => Completion | null): Promise<Completion> {
  for (;;) {
    await applyFinished(runtime);
    await writeNotes(runtime);
    throwIfBroken(runtime);
    throwIfWasting(runtime);
    const end = stopped(runtime) ?? isDone();
    const isIdle = runtime.running.size === 0 && runtime.finished.length === 0;
    if (end !== null && isIdle) return end;
    if (isIdle) await continueAsNewIfLong(runtime);
    if (mayGiveOut(runtime, end) && giveOut(runtime) === 0 && runtime.running.size === 0)
      return emptyBacklog(policyInput(runtime));
    await condition(() => isNews(runtime));
  }
}

/** Whether a person steered, or finished work can be applied: all of the round at a barrier, any otherwise. */
function isNews({ broken, steering, finished, running, plan }: StageRuntime): boolean {
  const isReady = finished.length > 0 && (plan.schedule === 'async' || running.size === 0);
  return broken !== null || steering.notes.length > 0 || isReady;
}

/** Enters in the journal what a person did. */
async function writeNotes(runtime: StageRuntime): Promise<void> {
  const { notes } = runtime.steering;
  for (let next = notes[0]; next !== undefined; next = notes[0]) {
    await note(runtime, { kind: 'steered', ...next, message: clip(next.message, 300) });
    notes.shift();
  }
}

function mayGiveOut(runtime: StageRuntime, end: Completion | null): boolean {
  if (end !== null || runtime.steering.paused || isHistoryLong(runtime)) return false;
  return runtime.plan.schedule === 'async' || (runtime.running.size === 0 && runtime.finished.length === 0);
}

function stopped({ steering }: StageRuntime): Completion | null {
  if (steering.stop === null) return null;
  return { reason: steering.stop === 'skip' ? 'skipped' : 'stopped', text: steering.why };
}

function isHistoryLong(runtime: StageRuntime): boolean {
  return workflowInfo().historyLength > runtime.plan.maxHistoryEvents;
}

async function continueAsNewIfLong(runtime: StageRuntime): Promise<void> {
  if (!isHistoryLong(runtime) && !workflowInfo().continueAsNewSuggested) return;
  await condition(allHandlersFinished);
  await continueAsNew<(input: StageInput) => Promise<StageResult>>({
    ...runtime.input,
    workers: runtime.state.rounds.length,
    paused: runtime.steering.paused,
    pausedMode: runtime.steering.pausedMode,
    lost: [...runtime.pool.lost.values()],
    resumed: orFailWorkflow(() => carriedState(runtime.state)),
  });
}

/** Nodes that no program made fail, one after the other: the next ones would be wasted too, and a person must act (P6). */
function throwIfWasting({ definition, wasted, state }: StageRuntime): void {
  const last = wasted.at(-1);
  if (last === undefined || wasted.length < Math.max(LEAST_WASTED, state.rounds.length) || !isPatched('stopWasting')) return;
  const text = `the last ${wasted.length} nodes of stage ${definition.name} failed for reasons of the platform: ${last}`;
  throw ApplicationFailure.nonRetryable(text, 'HostFailed');
}

function throwIfBroken(runtime: StageRuntime): void {
  if (runtime.broken === null) return;
  const text = runtime.broken.message;
  throw ApplicationFailure.nonRetryable(`stage ${runtime.definition.name}: ${text}`, 'InvariantBroken');
}

async function finish(runtime: StageRuntime, end: Completion): Promise<StageResult> {
  const best = bestRecord(runtime) ?? null;
  await writeNotes(runtime);
  await enterBlame(runtime);
  await note(runtime, { kind: 'stage_finished', reason: end.reason, text: end.text, best: best?.id ?? null });
  runtime.phase = 'finished';
  showProgress(runtime);
  const { state, definition } = runtime;
  const summary: StageSummary = { stage: definition.name, reason: end.reason, text: end.text, best, outcomes: state.outcomes };
  // The stage's end is in the journal, so a cancellation must not lead to a second one.
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  return { summary, nextNode: state.nextNode, nextSeq: state.nextSeq, lost: [...runtime.pool.lost.values()] };
}
