import { bestNode } from '../domain/journal.ts';
import type { StageStatus } from '../domain/messages.ts';
import type { StageRuntime } from './stage-runtime.ts';

/** The answer of a stage's `status` query. */
export function stageStatus(runtime: StageRuntime): StageStatus {
  const { state, plan, definition } = runtime;
  return {
    runId: plan.runId,
    stage: definition.name,
    state: stateWord(runtime),
    waitingFor: waitingFor(runtime),
    nodes: state.journal.nodes.length,
    maxNodes: definition.maxNodes,
    best: bestNode(state.journal, plan.metric.direction) ?? null,
    base: state.journal.base,
    running: [...runtime.running].map(([worker, { item, node, doing }]) => ({ worker, item, node, doing })),
    outcomes: state.outcomes,
  };
}

function stateWord({ steering, phase }: StageRuntime): StageStatus['state'] {
  if (phase === 'finished') return 'finished';
  if (steering.stop !== null) return 'stopping';
  return steering.paused ? 'paused' : 'running';
}

/** In one line why nothing is running; `null` while something is. */
function waitingFor({ running, steering, phase, pool, plan }: StageRuntime): string | null {
  if (phase === 'finished') return 'the stage is finished';
  if (running.size === 0 && steering.paused) return `a person paused the run${steering.why === '' ? '' : `: ${steering.why}`}`;
  const isStuck = running.size > 0 && pool.waiting === running.size;
  return isStuck ? `a free device: all ${plan.devices.length} are in use` : null;
}
