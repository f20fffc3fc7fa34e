import type { StageStatus } from '../domain/messages.ts';
import { waitText } from '../domain/watch.ts';
import { bestRecord, stageInForce, type StageRuntime } from './stage-runtime.ts';

/** The answer of a stage's `status` query. */
export function stageStatus(runtime: StageRuntime): StageStatus {
  const { state, plan, definition } = runtime;
  return {
    runId: plan.runId,
    stage: definition.name,
    state: stateWord(runtime),
    waitingFor: waitingFor(runtime),
    nodes: state.journal.nodes.length,
    maxNodes: stageInForce(runtime).maxNodes,
    pinned: state.wishes.pinned,
    best: bestRecord(runtime) ?? null,
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
function waitingFor({ running, steering, phase, pool }: StageRuntime): string | null {
  if (phase === 'finished') return 'the stage is finished';
  const isHeld = running.size === 0 || (steering.pausedMode === 'checkpoint' && pool.waiting >= running.size);
  if (steering.paused && isHeld) return pauseText(steering);
  const isStuck = pool.waiting > 0 && pool.waiting >= running.size;
  return isStuck ? waitText(pool.devices, pool.lost) : null;
}

function pauseText({ why, pausedMode }: StageRuntime['steering']): string {
  const paused = `a person paused the run${why === '' ? '' : `: ${why}`}`;
  return pausedMode === 'checkpoint' ? `${paused}; the devices are free, and evaluations go on from their checkpoints` : paused;
}
