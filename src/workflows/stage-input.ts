import { z } from 'zod';
import { StageName } from '../domain/ids.ts';
import { StageSummary } from '../domain/messages.ts';
import { GoodNode } from '../domain/node.ts';
import { RunPlan } from '../domain/run-plan.ts';
import { StageState } from '../search/stage-state.ts';

/** What a stage workflow is started with, by its run or by its own continue-as-new. */
export const StageInput = z.strictObject({
  plan: RunPlan,
  stage: StageName,
  /** The best node of the stages before; `null` for the first stage. */
  carried: GoodNode.nullable(),
  /** Number of the next node of the run. */
  nextNode: z.number().int().min(1),
  /** Number of the next journal event of the run. */
  nextSeq: z.number().int().min(0),
  /** Workers of the plan. */
  workers: z.number().int().min(1),
  paused: z.boolean(),
  /** The state to go on from after continue-as-new; `null` at the start. */
  resumed: StageState.nullable(),
});
export type StageInput = z.infer<typeof StageInput>;

/** What a stage gives back to its run. */
export const StageResult = z.strictObject({
  summary: StageSummary,
  nextNode: z.number().int().min(1),
  nextSeq: z.number().int().min(0),
});
export type StageResult = z.infer<typeof StageResult>;
