import type { z } from 'zod';

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
}

/** What became of an item, as a strategy learns from it. */
export interface StrategyOutcome {
  readonly status: 'good' | 'buggy' | 'dropped';
  /** The gain over the parent, positive when better; `null` when there is none. */
  readonly gain: number | null;
}

/** A strategy: name, options schema, first state and the two reducers. */
export interface Strategy<Options, State> {
  /** Name in the config, snake_case. */
  readonly name: string;
  /** What it does, in one line for people. */
  readonly about: string;
  readonly options: z.ZodType<Options>;
  /** How many backlog items it wants to see for so many free workers. */
  readonly lookahead: (free: number) => number;
  readonly initial: (options: Options) => State;
  readonly plan: (options: Options, state: State, input: PlanInput) => { state: State; units: WorkUnit[] };
  readonly observe: (options: Options, state: State, unit: WorkUnit, itemId: string, outcome: StrategyOutcome) => State;
}

/** A strategy with its options applied and its types closed over; state is opaque JSON. */
export interface BoundStrategy {
  readonly name: string;
  readonly lookahead: (free: number) => number;
  readonly initial: () => unknown;
  readonly plan: (state: unknown, input: PlanInput) => { state: unknown; units: WorkUnit[] };
  readonly observe: (state: unknown, unit: WorkUnit, itemId: string, outcome: StrategyOutcome) => unknown;
}

/** What the registry holds: a strategy whose types are known only inside. */
export interface StrategyEntry {
  readonly name: string;
  readonly about: string;
  readonly options: z.ZodType;
  /** Applies options that were parsed by `options`; throws a `ZodError` for others. */
  readonly bind: (options: unknown) => BoundStrategy;
}

/** Makes a registry entry of a strategy; `state` is the schema by which carried state is checked. */
export function defineStrategy<Options, State>(strategy: Strategy<Options, State>, stateSchema: z.ZodType<State>): StrategyEntry {
  return {
    name: strategy.name,
    about: strategy.about,
    options: strategy.options,
    bind: (rawOptions) => {
      const options = strategy.options.parse(rawOptions);
      return {
        name: strategy.name,
        lookahead: strategy.lookahead,
        initial: () => strategy.initial(options),
        plan: (state, input) => strategy.plan(options, stateSchema.parse(state), input),
        observe: (state, unit, itemId, outcome) => strategy.observe(options, stateSchema.parse(state), unit, itemId, outcome),
      };
    },
  };
}
