import { CancellationScope } from '@temporalio/workflow';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { Item } from '../domain/item.ts';
import { allNodes } from '../domain/journal.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import type { ItemOutcome } from '../search/outcome.ts';
import type { PolicyInput } from '../search/policy.ts';
import { initialStageState, type StageState } from '../search/stage-state.ts';
import { bindStrategy } from '../strategies/registry.ts';
import type { BoundStrategy, WorkUnit } from '../strategies/strategy.ts';
import { devicePool, type DevicePool } from './devices.ts';
import { orFailWorkflow } from './failures.ts';
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
}

/** How a person steers the stage. */
export interface Steering {
  paused: boolean;
  /** `drain` lets running items finish, `now` and `skip` cancel them. */
  stop: 'drain' | 'now' | 'skip' | null;
  why: string;
  /** What a person did and is not in the journal yet. */
  readonly notes: string[];
}

/** What a stage is while its workflow runs: the durable state, and what is going on around it. */
export interface StageRuntime {
  readonly input: StageInput;
  readonly plan: RunPlan;
  readonly definition: StageDefinition;
  readonly strategy: BoundStrategy;
  readonly pool: DevicePool;
  readonly steering: Steering;
  /** Cancels the evaluation of the base. */
  readonly opening: CancellationScope;
  /** By plan worker, in plan order. */
  readonly running: Map<number, Running>;
  /** Finished and not yet applied, in order of completion. */
  readonly finished: Running[];
  state: StageState;
  phase: 'opening' | 'searching' | 'closing' | 'finished';
  /** Something that must end the workflow, found where nobody awaits it. */
  broken: Error | null;
}

/** The runtime of a stage that begins or goes on after continue-as-new. */
export function stageRuntime(input: StageInput): StageRuntime {
  const definition = input.plan.stages.find(({ name }) => name === input.stage);
  if (definition === undefined) throw new TypeError(`the plan has no stage ${input.stage}`);
  const strategy = orFailWorkflow(() => bindStrategy(input.plan.strategy.name, input.plan.strategy.options));
  return {
    input,
    plan: input.plan,
    definition,
    strategy,
    pool: devicePool(input.plan.devices),
    steering: { paused: input.paused, stop: null, why: '', notes: [] },
    opening: new CancellationScope(),
    running: new Map(),
    finished: [],
    state: input.resumed ?? initialStageState({ ...input, strategy: strategy.initial() }),
    phase: 'opening',
    broken: null,
  };
}

/** What the policy decides from. */
export function policyInput(runtime: StageRuntime): PolicyInput {
  const { plan, definition: stage, state } = runtime;
  const { journal, tried, exhausted, dispatched, activeKeys } = state;
  return { plan, stage, journal, inFlight: itemsInFlight(runtime), tried, exhausted, dispatched, activeKeys };
}

/** Items that are given out and not yet in the journal. */
export function itemsInFlight(runtime: StageRuntime): Item[] {
  return [...[...runtime.running.values()].map(({ item }) => item), ...runtime.finished.map(({ item }) => item)];
}

/** Whether an experiment is in the stage's journal or claimed by an item in flight. */
export function isClaimed(runtime: StageRuntime, experiment: Ref): boolean {
  const claims = [...runtime.running.values(), ...runtime.finished].map((running) => running.experiment);
  return claims.includes(experiment) || allNodes(runtime.state.journal).some((node) => node.experiment === experiment);
}
