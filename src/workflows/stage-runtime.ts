import { CancellationScope } from '@temporalio/workflow';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { Item } from '../domain/item.ts';
import { bestNode, hasExperiment, recordOf } from '../domain/journal.ts';
import type { GoodNode } from '../domain/node.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import type { PausePayload } from '../domain/steering.ts';
import type { ItemOutcome } from '../search/outcome.ts';
import type { PolicyInput } from '../search/policy.ts';
import { limitedStage } from '../search/wishes.ts';
import { resumedState } from '../search/carried-state.ts';
import { initialStageState, type StageState } from '../search/stage-state.ts';
import { bindStrategy, strategyOfStage } from '../strategies/registry.ts';
import type { BoundStrategy, WorkUnit } from '../strategies/strategy.ts';
import { devicePool, type DevicePool, type Interruptions } from './devices.ts';
import { orFailWorkflow } from './failures.ts';
import { isPatched } from './patches.ts';
import type { StageInput } from './stage-input.ts';

/** An item that a worker of the plan is working on. */
export interface Running {
  readonly unit: WorkUnit;
  readonly item: Item;
  readonly node: NodeId;
  /** Cancels this item alone. */
  readonly scope: CancellationScope;
  doing: string;
  /** The experiment that it claimed. */
  experiment: Ref | null;
  /** `undefined` while it runs; `null` when it leaves no trace. */
  outcome: ItemOutcome | null | undefined;
  /** The strategy that gave it out, which alone learns of its outcome. */
  readonly strategy: BoundStrategy;
  /** What a person ended it as. */
  ended: 'cancelled' | 'pruned';
}

/** What a person did, as the journal has it. */
export interface SteeringNote {
  readonly message: string;
  /** The node whose subtree was pruned with it. */
  readonly pruned?: NodeId;
}

/** How a person steers the stage. */
export interface Steering {
  paused: boolean;
  /** Whether a pause lets what runs finish, or takes it off its device until the pause ends. */
  pausedMode: PausePayload['mode'];
  /** `drain` lets running items finish, `now` and `skip` cancel them. */
  stop: 'drain' | 'now' | 'skip' | null;
  why: string;
  /** What a person did and is not in the journal yet. */
  readonly notes: SteeringNote[];
}

/** What a stage is while its workflow runs: the durable state, and what is going on around it. */
export interface StageRuntime {
  readonly input: StageInput;
  readonly plan: RunPlan;
  readonly definition: StageDefinition;
  strategy: BoundStrategy;
  readonly pool: DevicePool;
  /** Takes evaluations off their devices and holds them back: a pause that frees the devices. */
  readonly interruptions: Interruptions;
  readonly steering: Steering;
  /** Cancels the evaluation of the base. */
  readonly opening: CancellationScope;
  /** By plan worker, in plan order. */
  readonly running: Map<number, Running>;
  /** Finished and not yet applied, in order of completion. */
  readonly finished: Running[];
  state: StageState;
  phase: 'opening' | 'searching' | 'closing' | 'finished';
  /** What the latest nodes say that failed for reasons of the platform, since the last that did not. */
  readonly wasted: string[];
  /** Something that must end the workflow, found where nobody awaits it. */
  broken: Error | null;
}

/** The runtime of a stage that begins or goes on after continue-as-new. */
export function stageRuntime(input: StageInput): StageRuntime {
  const definition = input.plan.stages.find(({ name }) => name === input.stage);
  if (definition === undefined) throw new TypeError(`the plan has no stage ${input.stage}`);
  const chosen = input.resumed?.wishes.strategy ?? null;
  const strategy = orFailWorkflow(() =>
    chosen === null ? strategyOfStage(input.plan, definition) : bindStrategy(chosen.name, chosen.options),
  );
  const most = input.plan.maxDevices ?? Infinity;
  const pool = devicePool(input.plan.devices, { isWatched: isPatched('watchDevices'), most });
  for (const device of input.lost) pool.lose(device);
  // Nothing is in flight, so both kinds of pause mean that nothing starts, the base among it.
  if (input.paused) pool.interruptions.pause();
  return {
    input,
    plan: input.plan,
    definition,
    strategy,
    pool,
    interruptions: pool.interruptions,
    steering: { paused: input.paused, pausedMode: input.pausedMode, stop: null, why: '', notes: [] },
    opening: new CancellationScope(),
    running: new Map(),
    finished: [],
    state: firstState(input, strategy),
    phase: 'opening',
    wasted: [],
    broken: null,
  };
}

function firstState(input: StageInput, strategy: BoundStrategy): StageState {
  const { direction } = input.plan.metric;
  if (input.resumed !== null) return resumedState(input.resumed, direction);
  return initialStageState({ ...input, direction, strategy: strategy.initial() });
}

/** The record of the best node of the stage, `undefined` when there is no good one. */
export function bestRecord({ state, plan, definition }: StageRuntime): GoodNode | undefined {
  const best = bestNode(state.journal, plan.metric.direction);
  return best && recordOf(state.journal, best, definition.name);
}

/** What the policy decides from. */
export function policyInput(runtime: StageRuntime): PolicyInput {
  const { plan, state } = runtime;
  const { journal, tried, exhausted, dispatched, activeKeys, wishes } = state;
  const stage = stageInForce(runtime);
  return { plan, stage, journal, inFlight: itemsInFlight(runtime), tried, exhausted, dispatched, activeKeys, wishes };
}

/** The stage's definition with the node limit that is in force. */
export function stageInForce({ definition, state }: Pick<StageRuntime, 'definition' | 'state'>): StageDefinition {
  return limitedStage(definition, state.wishes);
}

/** Items that are given out and not yet in the journal. */
export function itemsInFlight(runtime: StageRuntime): Item[] {
  return [...[...runtime.running.values()].map(({ item }) => item), ...runtime.finished.map(({ item }) => item)];
}

/** Whether an experiment is in the stage's journal or claimed by an item in flight. */
export function isClaimed(runtime: StageRuntime, experiment: Ref): boolean {
  const claims = [...runtime.running.values(), ...runtime.finished].map((running) => running.experiment);
  return claims.includes(experiment) || hasExperiment(runtime.state.journal, experiment);
}
