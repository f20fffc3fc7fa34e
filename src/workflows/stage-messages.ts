import { defineQuery, setHandler } from '@temporalio/workflow';
import { z } from 'zod';
import { allNodes } from '../domain/journal.ts';
import { JournalQuery, MESSAGES, type JournalPage, type Outcomes, type StageStatus } from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { WorkUnit } from '../strategies/strategy.ts';
import {
  because,
  PausePayload,
  pauseText,
  SetWorkersPayload,
  StageBudgetPayload,
  StopPayload,
  UnpausePayload,
} from '../domain/steering.ts';
import { withWorkers } from '../search/stage-state.ts';
import { onSignal } from './handlers.ts';
import { stageStatus } from './stage-status.ts';
import { handleStageUpdates } from './stage-updates.ts';
import { bestRecord, type StageRuntime } from './stage-runtime.ts';

/**
 * Messages of a stage. A signal handler is total: it parses, refuses, counts and logs, and never throws,
 * since a throw would hang the workflow. What can be refused is an update with a synchronous validator.
 */
export function handleStageMessages(runtime: StageRuntime): void {
  const refused = (): void => {
    countRefused(runtime);
  };
  handlePauses(runtime, refused);
  onSignal(
    { refused, name: MESSAGES.stop, description: 'end the stage: {"mode": "drain"} or {"mode": "now"}' },
    StopPayload.prefault({}),
    ({ mode, reason }) => {
      stopStage(runtime, mode, reason ?? 'a person stopped the run');
    },
  );
  onSignal({ refused, name: MESSAGES.skipStage, description: 'end this stage and go on with the next' }, NOTHING, () => {
    stopStage(runtime, 'skip', 'a person skipped the stage');
  });
  handleLimits(runtime, refused);
  handleStageUpdates(runtime);
  handleQueries(runtime);
}

function handlePauses(runtime: StageRuntime, refused: () => void): void {
  const { steering, interruptions } = runtime;
  onSignal(
    { refused, name: MESSAGES.pause, description: 'start nothing new; {"mode": "checkpoint"} frees the devices too' },
    PausePayload.prefault({}),
    (payload) => {
      const { mode, reason } = payload;
      steering.paused = true;
      steering.why = reason ?? '';
      if (mode === 'checkpoint') interruptions.pause();
      steering.pausedMode = interruptions.isPaused ? 'checkpoint' : mode;
      steering.notes.push({ message: pauseText(payload) });
    },
  );
  onSignal({ refused, name: MESSAGES.unpause, description: 'go on after a pause' }, UnpausePayload.prefault({}), ({ reason }) => {
    steering.paused = false;
    interruptions.unpause();
    steering.notes.push({ message: because('unpaused', reason) });
  });
}

function handleLimits(runtime: StageRuntime, refused: () => void): void {
  const { notes } = runtime.steering;
  onSignal(
    { refused, name: MESSAGES.setWorkers, description: 'the number of plan workers: {"workers": 2}' },
    SetWorkersPayload,
    ({ workers }) => {
      runtime.state = withWorkers(runtime.state, workers);
      notes.push({ message: `workers set to ${workers}` });
    },
  );
  onSignal(
    { refused, name: MESSAGES.setBudget, description: 'from the run: the nodes that this stage may make' },
    StageBudgetPayload,
    ({ note, ...limits }) => {
      runtime.state = { ...runtime.state, wishes: { ...runtime.state.wishes, ...limits } };
      notes.push({ message: note });
    },
  );
}

/** Nothing to say, as no payload or an empty one. */
const NOTHING = z.strictObject({}).prefault({});

/** Ends a stage: running items finish (`drain`) or are cancelled. */
export function stopStage(runtime: StageRuntime, how: 'drain' | 'now' | 'skip', why: string): void {
  runtime.steering.stop = how;
  runtime.steering.why = why;
  runtime.steering.notes.push({ message: `stopped (${how}): ${why}` });
  // What was interrupted by a pause has to run to be drained.
  runtime.interruptions.unpause();
  if (how === 'drain') return;
  runtime.opening.cancel();
  for (const { scope } of runtime.running.values()) scope.cancel();
}

function countRefused(runtime: StageRuntime): void {
  const { outcomes } = runtime.state;
  runtime.state = { ...runtime.state, outcomes: { ...outcomes, badSignals: outcomes.badSignals + 1 } };
}

function handleQueries(runtime: StageRuntime): void {
  setHandler(defineQuery<StageStatus>(MESSAGES.status), () => stageStatus(runtime), { description: 'what the stage is doing' });
  setHandler(defineQuery<GoodNode | null>(MESSAGES.best), () => bestRecord(runtime) ?? null, {
    description: 'the best node so far',
  });
  setHandler(defineQuery<Outcomes>(MESSAGES.outcomes), () => runtime.state.outcomes, { description: 'what became of the items' });
  setHandler(defineQuery<WorkUnit[]>(MESSAGES.plan), () => [...runtime.running.values()].map(({ unit }) => unit), {
    description: 'the work units that are being worked on',
  });
  setHandler(defineQuery<JournalPage, [unknown]>(MESSAGES.journal), (raw) => journalPage(runtime, raw), {
    description: 'the nodes, paged: {"offset": 0, "limit": 50}',
  });
}

function journalPage(runtime: StageRuntime, raw: unknown): JournalPage {
  const { offset, limit } = JournalQuery.parse(raw ?? {});
  const nodes = allNodes(runtime.state.journal);
  return { total: nodes.length, nodes: nodes.slice(offset, offset + limit) };
}
