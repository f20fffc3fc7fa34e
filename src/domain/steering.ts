import { z } from 'zod';
import { NodeId, StageName } from './ids.ts';
import { Operator } from './item.ts';

/**
 * Payloads of the messages by which a person steers a run: signals (`pause`, `unpause`, `stop`) and updates,
 * which are refused with a reason where they make no sense. Sent to the run unless said otherwise.
 */

const reason = z.string().max(300).exactOptional();
const stageOnly = { stage: StageName };

/**
 * Payload of `pause`; no payload at all is accepted too. `finish` lets evaluations in flight finish;
 * `checkpoint` ends them at once, frees their devices, and continues them after `unpause` from what they saved.
 */
export const PausePayload = z.strictObject({ mode: z.enum(['finish', 'checkpoint']).default('finish'), reason });
export type PausePayload = z.infer<typeof PausePayload>;

/** A pause in words, as the journal has it. */
export function pauseText({ mode, reason: why }: PausePayload): string {
  return because(mode === 'checkpoint' ? 'paused at checkpoints' : 'paused', why);
}

/** What a person did, with the reason where one was given. */
export function because(what: string, why: string | undefined): string {
  return why === undefined ? what : `${what}: ${why}`;
}

/** Payload of `unpause`; no payload at all is accepted too. */
export const UnpausePayload = z.strictObject({ reason });

/** Payload of `stop`: `drain` lets running evaluations finish, `now` cancels them. The report is written. */
export const StopPayload = z.strictObject({ mode: z.enum(['drain', 'now']).default('drain'), reason });
export type StopPayload = z.infer<typeof StopPayload>;

/** Payload of `skipStage`: which stage to end; refused when it would leave nothing to carry on. */
export const SkipStagePayload = z.strictObject(stageOnly);
export type SkipStagePayload = z.infer<typeof SkipStagePayload>;

/** Payload of `retryStage`: the stage that failed, to be begun anew from the node that it was given. */
export const RetryStagePayload = z.strictObject(stageOnly);
export type RetryStagePayload = z.infer<typeof RetryStagePayload>;

/** Payload of `setWorkers`: the number of plan workers from the next plan on. */
export const SetWorkersPayload = z.strictObject({ workers: z.number().int().min(1).max(1000) });
export type SetWorkersPayload = z.infer<typeof SetWorkersPayload>;

/**
 * Payload of `setBudget`: nodes at most, those that were made included. Without a stage those of the whole run,
 * where `null` lifts the limit.
 */
export const SetBudgetPayload = z
  .strictObject({ nodes: z.number().int().min(0).max(1_000_000).nullable(), stage: StageName.exactOptional() })
  .refine(({ nodes, stage }) => stage === undefined || nodes !== null, {
    path: ['nodes'],
    error: 'a stage needs a number: the limit of a stage cannot be lifted, only raised',
  });
export type SetBudgetPayload = z.infer<typeof SetBudgetPayload>;

/** What a run tells its stage of a new budget; what is left out stays as it is. */
export const StageBudgetPayload = z.strictObject({
  /** Nodes of the stage at most. */
  maxNodes: z.number().int().min(0).exactOptional(),
  /** Nodes that the run's budget left when the stage began; `null` without a budget. */
  budgetLeft: z.number().int().min(0).nullable().exactOptional(),
  /** What a person did, for the journal. */
  note: z.string().max(300),
});
export type StageBudgetPayload = z.infer<typeof StageBudgetPayload>;

/** Payload of `cancelNode`, to a stage: a node that is being made; its program is ended, the node is buggy, `cancelled`. */
export const CancelNodePayload = z.strictObject({ node: NodeId, reason });
export type CancelNodePayload = z.infer<typeof CancelNodePayload>;

/** Payload of `pinNode`, to a stage: a good node that is built on as if it were the best; `null` for none. */
export const PinNodePayload = z.strictObject({ node: NodeId.nullable() });
export type PinNodePayload = z.infer<typeof PinNodePayload>;

/**
 * Payload of `pruneNode`, to a stage: a node that is not worked on any more, nor what descends from it. What of
 * it is being made is ended, buggy with reason `pruned`; none of it is the stage's best.
 */
export const PruneNodePayload = z.strictObject({ node: NodeId, reason });
export type PruneNodePayload = z.infer<typeof PruneNodePayload>;

/** Payload of `addItem`, to a stage: work that is given out before all other. */
export const AddItemPayload = z.strictObject({
  operator: Operator,
  /** The node to start from; `null` for a draft. */
  parent: NodeId.nullable().default(null),
  /** The component key that it is about (tune, ablate; `a+b` for a pair). */
  target: z.string().min(1).max(170).nullable().default(null),
});
export type AddItemPayload = z.infer<typeof AddItemPayload>;

/** A strategy with its options, as the config has it. */
export const StrategyChoice = z.strictObject({
  name: z.string().min(1).max(100),
  options: z.record(z.string().max(100), z.json()).default({}),
});
export type StrategyChoice = z.infer<typeof StrategyChoice>;
