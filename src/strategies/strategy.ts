import type { z } from 'zod';
import type { Operator } from '../domain/item.ts';
import type { ItemFacts, Merge } from '../domain/item-facts.ts';

/**
 * The contract of a strategy: it splits the backlog over the workers of the plan, that is, it decides who
 * may work on what. A strategy is a pure reducer; its state is plain JSON, so it survives any crash.
 *
 * S1 `plan` and `observe` are functions of their arguments: no clock, no random numbers, no other state.
 * S2 A plan hands out only keys that were offered and are not in flight, and no key to two workers.
 * S3 The state stays bounded, whatever the length of the run.
 */

/** One worker's share of a plan; the worker does one item of it per round. */
export interface WorkUnit {
  readonly worker: number;
  /** Item ids, in the order of preference. */
  readonly keys: readonly string[];
  readonly stage: number;
  /** The section of component keys that an edit of this unit may touch; `null` for all of them. */
  readonly section: number | null;
  /** The component keys of that section; absent or `null` for all of them. */
  readonly mayChange?: readonly string[] | null;
}

/** What a plan is made from. */
export interface PlanInput {
  /** Workers of the plan. */
  readonly nWorkers: number;
  /** The workers to plan for: all at a barrier, the free one when asynchronous. In ascending order. */
  readonly free: readonly number[];
  /** Each worker's own round counter, from 0. */
  readonly roundOf: readonly number[];
  /** The backlog: item ids, most wanted first, distinct. */
  readonly keys: readonly string[];
  /** Item ids being worked on. */
  readonly inFlight: readonly string[];
  /** What each item of the backlog is about, by its id. */
  readonly facts: Readonly<Record<string, ItemFacts>>;
  /** The component keys that an edit in this stage may change; none where the stage starts from nothing. */
  readonly components: readonly string[];
}

/** What became of an item, as a strategy learns from it. */
export interface StrategyOutcome {
  readonly status: 'good' | 'buggy' | 'dropped';
  /** The gain over the parent, positive when better; `null` when there is none. */
  readonly gain: number | null;
  /** The node that was made; `null` when it was dropped. */
  readonly node: string | null;
  readonly facts: ItemFacts;
  /** Whether the proposer had nothing left to try for the item. */
  readonly isExhausted: boolean;
}

/** What a strategy is checked against before a run begins. */
export interface StrategySetting {
  /** Component keys of the task that may change. */
  readonly components: readonly string[];
  readonly workers: number;
}

/** Why a strategy cannot be used in a setting, and what to do. */
export interface Misfit {
  readonly what: string;
  readonly fix: string;
}

/** A strategy: name, options schema, first state and the two reducers. */
export interface Strategy<Options, State> {
  /** Name in the config, snake_case. */
  readonly name: string;
  /** What it does, in one line for people. */
  readonly about: string;
  readonly options: z.ZodType<Options>;
  /** The operators of the stages that it is for, the default works in the others; absent for every stage. */
  readonly operators?: readonly Operator[];
  /** Why it cannot work in a setting; absent when it always can. */
  readonly misfit?: (options: Options, setting: StrategySetting) => Misfit | null;
  /** How many backlog items it wants to see for so many free workers. */
  readonly lookahead: (free: number) => number;
  readonly initial: (options: Options) => State;
  readonly plan: (options: Options, state: State, input: PlanInput) => { state: State; units: WorkUnit[] };
  readonly observe: (options: Options, state: State, unit: WorkUnit, itemId: string, outcome: StrategyOutcome) => State;
  /** The node that it wants worked on as if it were the best; `null` for the best. Absent when it never minds. */
  readonly base?: (options: Options, state: State) => string | null;
  /** Nodes that it wants united, most wanted first; they come first in the backlog. Absent when it unites none. */
  readonly merges?: (options: Options, state: State) => readonly Merge[];
}

/** A strategy with its options applied and its types closed over; state is opaque JSON. */
export interface BoundStrategy {
  readonly name: string;
  readonly lookahead: (free: number) => number;
  readonly initial: () => unknown;
  readonly plan: (state: unknown, input: PlanInput) => { state: unknown; units: WorkUnit[] };
  readonly observe: (state: unknown, unit: WorkUnit, itemId: string, outcome: StrategyOutcome) => unknown;
  readonly merges: (state: unknown) => readonly Merge[];
  readonly base: (state: unknown) => string | null;
}

/** What the registry holds: a strategy whose types are known only inside. */
export interface StrategyEntry {
  readonly name: string;
  readonly about: string;
  readonly options: z.ZodType;
  /** Whether it is for stages with this operator. */
  readonly isFor: (operator: Operator) => boolean;
  /** Why it cannot work in a setting with options that were parsed by `options`. */
  readonly misfit: (options: unknown, setting: StrategySetting) => Misfit | null;
  /** Applies options that were parsed by `options`; throws a `ZodError` for others. */
  readonly bind: (options: unknown) => BoundStrategy;
}

/** Makes a registry entry of a strategy; `state` is the schema by which carried state is checked. */
export function defineStrategy<Options, State>(strategy: Strategy<Options, State>, stateSchema: z.ZodType<State>): StrategyEntry {
  return {
    name: strategy.name,
    about: strategy.about,
    options: strategy.options,
    isFor: (operator) => strategy.operators?.includes(operator) ?? true,
    misfit: (rawOptions, setting) => strategy.misfit?.(strategy.options.parse(rawOptions), setting) ?? null,
    bind: (rawOptions) => {
      const options = strategy.options.parse(rawOptions);
      return {
        name: strategy.name,
        lookahead: strategy.lookahead,
        initial: () => strategy.initial(options),
        plan: (state, input) => strategy.plan(options, stateSchema.parse(state), input),
        observe: (state, unit, itemId, outcome) => strategy.observe(options, stateSchema.parse(state), unit, itemId, outcome),
        base: (state) => strategy.base?.(options, stateSchema.parse(state)) ?? null,
        merges: (state) => strategy.merges?.(options, stateSchema.parse(state)) ?? [],
      };
    },
  };
}
