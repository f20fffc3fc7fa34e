import { z } from 'zod';
import { CarriedNode } from '../domain/fork.ts';
import { StageName } from '../domain/ids.ts';
import { StageSummary } from '../domain/messages.ts';
import { GoodNode } from '../domain/node.ts';
import { RunPlan } from '../domain/run-plan.ts';
import { PausePayload } from '../domain/steering.ts';
import { LostDevice } from '../domain/watch.ts';
import { CarriedState } from '../search/carried-state.ts';

/** What a stage handed on. */
export const ChainLink = z.strictObject({ stage: StageName, node: GoodNode });
export type ChainLink = z.infer<typeof ChainLink>;

/** What a stage workflow is started with, by its run or by its own continue-as-new. */
export const StageInput = z.strictObject({
  plan: RunPlan,
  stage: StageName,
  /** The best node of the stages before, or the node that a fork starts from; `null` for the first stage of any other run. */
  carried: CarriedNode.nullable(),
  /** Number of the next node of the run. */
  nextNode: z.number().int().min(1),
  /** Number of the next journal event of the run. */
  nextSeq: z.number().int().min(0),
  /** Workers of the plan. */
  workers: z.number().int().min(1),
  paused: z.boolean(),
  /** How it is paused. */
  pausedMode: PausePayload.shape.mode,
  /** Nodes that the run's budget leaves it; `null` without a budget. */
  budgetLeft: z.number().int().min(0).nullable().default(null),
  /** The stage's node limit where a person set one; `null` for the plan's. */
  maxNodes: z.number().int().min(0).nullable().default(null),
  /** What a person did while no stage ran; entered in the journal when the stage has begun. */
  notes: z.array(z.string().max(300)).max(1000).default([]),
  /** Devices that were lost when it was started; the watch says when they are back. */
  lost: z.array(LostDevice).max(1000).default([]),
  /** The best nodes of the stages before, in their order. */
  chain: z.array(ChainLink).max(4).default([]),
  /** The state to go on from after continue-as-new; `null` at the start. */
  resumed: CarriedState.nullable(),
});
export type StageInput = z.infer<typeof StageInput>;

/** What a stage gives back to its run. */
export const StageResult = z.strictObject({
  summary: StageSummary,
  nextNode: z.number().int().min(1),
  nextSeq: z.number().int().min(0),
  /** Devices that are lost at its end. */
  lost: z.array(LostDevice).max(1000).default([]),
});
export type StageResult = z.infer<typeof StageResult>;
