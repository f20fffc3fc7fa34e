import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import { z } from 'zod';
import { allNodes, bestNode } from '../domain/journal.ts';
import {
  CancelNodePayload,
  JournalQuery,
  MESSAGES,
  PausePayload,
  SetWorkersPayload,
  StopPayload,
  type JournalPage,
  type Outcomes,
  type StageStatus,
} from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { WorkUnit } from '../strategies/strategy.ts';
import { withWorkers } from '../search/stage-state.ts';
import { onSignal, parseOrRefuse, refusal } from './handlers.ts';
import { stageStatus } from './stage-status.ts';
import type { Running, StageRuntime } from './stage-runtime.ts';

/**
 * Messages of a stage. A signal handler is total: it parses, refuses, counts and logs, and never throws,
 * since a throw would hang the workflow. What can be refused is an update with a synchronous validator.
 */
export function handleStageMessages(runtime: StageRuntime): void {
  handleSignals(runtime);
  setHandler(
    defineUpdate<{ node: string }, [unknown]>(MESSAGES.cancelNode),
    (raw) => {
      const { node, reason } = CancelNodePayload.parse(raw);
      runningNode(runtime, node)?.scope.cancel();
      runtime.steering.notes.push(reason === undefined ? `${node} cancelled` : `${node} cancelled: ${reason}`);
      return { node };
    },
    {
      validator: (raw) => {
        refuseUnlessRunning(runtime, raw);
      },
      description: 'end a node that is being made: {"node": "n7"}',
    },
  );
  handleQueries(runtime);
}

function handleSignals(runtime: StageRuntime): void {
  const { steering } = runtime;
  const refused = (): void => {
    countRefused(runtime);
  };
  onSignal(
    { refused, name: MESSAGES.pause, description: 'start nothing new; what runs goes on' },
    PausePayload.prefault({}),
    ({ reason }) => {
      steering.paused = true;
      steering.why = reason ?? '';
      steering.notes.push(reason === undefined ? 'paused' : `paused: ${reason}`);
    },
  );
  onSignal({ refused, name: MESSAGES.unpause, description: 'go on after a pause' }, PausePayload.prefault({}), () => {
    steering.paused = false;
    steering.notes.push('unpaused');
  });
  onSignal(
    { refused, name: MESSAGES.stop, description: 'end the stage: {"mode": "drain"} or {"mode": "now"}' },
    StopPayload.prefault({}),
    ({ mode, reason }) => {
      stopStage(runtime, mode, reason ?? 'a person stopped the run');
    },
  );
  onSignal({ refused, name: MESSAGES.skipStage, description: 'end this stage and go on with the next' }, z.unknown(), () => {
    stopStage(runtime, 'skip', 'a person skipped the stage');
  });
  onSignal(
    { refused, name: MESSAGES.setWorkers, description: 'the number of plan workers: {"workers": 2}' },
    SetWorkersPayload,
    ({ workers }) => {
      runtime.state = withWorkers(runtime.state, workers);
      steering.notes.push(`workers set to ${workers}`);
    },
  );
}

/** Ends a stage: running items finish (`drain`) or are cancelled. */
export function stopStage(runtime: StageRuntime, how: 'drain' | 'now' | 'skip', why: string): void {
  runtime.steering.stop = how;
  runtime.steering.why = why;
  runtime.steering.notes.push(`stopped (${how}): ${why}`);
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
  setHandler(
    defineQuery<GoodNode | null>(MESSAGES.best),
    () => bestNode(runtime.state.journal, runtime.plan.metric.direction) ?? null,
    {
      description: 'the best node so far',
    },
  );
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

function runningNode(runtime: StageRuntime, node: string): Running | undefined {
  return [...runtime.running.values()].find((running) => running.node === node && running.item.kind === 'node');
}

function refuseUnlessRunning(runtime: StageRuntime, raw: unknown): void {
  const { node } = parseOrRefuse(CancelNodePayload, raw);
  if (runningNode(runtime, node) !== undefined) return;
  const running = [...runtime.running.values()].map((item) => item.node).join(', ');
  throw refusal(`${node} is not being made; running: ${running || 'nothing'}`);
}
