import { getExternalWorkflowHandle, log } from '@temporalio/workflow';
import { clip } from '../domain/failure.ts';
import type { CarriedNode } from '../domain/fork.ts';
import { nodeNumber, stageWorkflowId, type RunId, type StageName } from '../domain/ids.ts';
import type { ParkedStage, StageSummary } from '../domain/messages.ts';
import type { GoodNode } from '../domain/node.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { PausePayload } from '../domain/steering.ts';
import type { LostDevice } from '../domain/watch.ts';

/** What a run is while its workflow runs. */
export interface RunState {
  readonly runId: RunId;
  plan: RunPlan | null;
  phase: 'resolving' | 'running' | 'reporting' | 'finished';
  /** The stage that runs, or that failed and waits for a person. */
  stage: StageName | null;
  finished: StageSummary[];
  /** The best node of the finished stages, else of the current one. */
  best: GoodNode | null;
  paused: boolean;
  pausedMode: PausePayload['mode'];
  stop: boolean;
  /** Stages that a person skipped before they began. */
  readonly skipped: Set<StageName>;
  /** Workers for the stages to come; `null` for the plan's. */
  workers: number | null;
  /** The most workers that any stage had: so many nodes can be in flight at once. */
  mostWorkers: number;
  /** The nodes of the whole run as a person set them, `nodes: null` for no limit; `null` for the plan's. */
  budget: { readonly nodes: number | null } | null;
  /** Node limits of stages that a person set. */
  readonly limits: Map<StageName, number>;
  /** Nodes that the stages before the current one made. */
  made: number;
  /** Numbers that the current stage began with, or the next one will begin with. */
  next: Numbers;
  /** Whether `next` is free, since what was begun with it has ended and given its numbers back. */
  isNextFree: boolean;
  /** The stage that failed and waits for a person. */
  parked: ParkedStage | null;
  /** What a person wants to become of it. */
  decision: 'retry' | 'skip' | null;
  /** What a person did that no stage has entered in the journal. */
  notes: string[];
  /** Devices that were lost when the last stage ended. */
  lost: LostDevice[];
  /** Signals to the run itself that could not be understood. */
  badSignals: number;
}

/** The next numbers of a run. */
export interface Numbers {
  readonly nextNode: number;
  readonly nextSeq: number;
}

/** Notes that a run keeps; they are handed to the next stage in one payload. */
const MOST_NOTES = 100;

/** A run of which nothing is known yet. */
export function newRun(runId: RunId): RunState {
  return {
    runId,
    plan: null,
    phase: 'resolving',
    stage: null,
    finished: [],
    best: null,
    paused: false,
    pausedMode: 'finish',
    stop: false,
    skipped: new Set(),
    workers: null,
    mostWorkers: 1,
    budget: null,
    limits: new Map(),
    made: 0,
    next: { nextNode: 1, nextSeq: 0 },
    isNextFree: true,
    parked: null,
    decision: null,
    notes: [],
    lost: [],
    badSignals: 0,
  };
}

/** Takes the plan up. */
export function withPlan(run: RunState, plan: RunPlan): void {
  run.plan = plan;
  run.next = { nextNode: plan.start === null ? 1 : nodeNumber(plan.start.node.id) + 1, nextSeq: 0 };
}

/** The node that the next stage starts from; `null` when there is none. */
export function carriedNode({ finished, plan }: Pick<RunState, 'finished' | 'plan'>): CarriedNode | null {
  return finished.findLast(({ best }) => best !== null)?.best ?? plan?.start?.node ?? null;
}

/** Nodes that the run's budget leaves the current stage, those that it made included; `null` without a budget. */
export function budgetLeft({ budget, plan, made }: RunState): number | null {
  const nodes = budget === null ? (plan?.budgetNodes ?? null) : budget.nodes;
  return nodes === null ? null : Math.max(0, nodes - made);
}

/** Keeps what a person did for the journal. */
export function noteFor(run: RunState, message: string): void {
  const text = clip(message, 300);
  if (run.notes.length < MOST_NOTES) run.notes.push(text);
  else run.notes[MOST_NOTES - 1] = `and more than ${MOST_NOTES - 1} messages; the last one: ${clip(text, 200)}`;
}

/**
 * Sends a message on to the stage, which enters it in the journal; resolves when the stage has it. Where no stage
 * runs, or it ends just now, the run keeps the note for the next one.
 */
export async function tellStage(run: RunState, name: string, message: { payload: unknown; note: string }): Promise<void> {
  if (run.stage === null || run.parked !== null) {
    noteFor(run, message.note);
    return;
  }
  try {
    await getExternalWorkflowHandle(stageWorkflowId(run.runId, run.stage)).signal(name, message.payload);
  } catch (error) {
    log.warn(`the stage could not be told: ${name}`, { error: String(error) });
    noteFor(run, message.note);
  }
}
