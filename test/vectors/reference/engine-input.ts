import { z } from 'zod';
import { StalenessPolicy } from '../../../src/domain/run-plan.ts';

/** The settings of a whole run in the vectors. Strict, so that none of them is passed over. */

const Count = z.number().int().min(1);
const Keys = z.array(z.string()).min(1);

const EngineStrategy = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('DP') }),
  z.strictObject({ name: z.literal('block'), rule: z.literal('contiguous blocks of ceil(n/workers)') }),
  z.strictObject({
    name: z.literal('TP'),
    n_sections: Count,
    keys: Keys.nullable(),
    route: z.union([z.literal(false), z.literal('category_of_task')]),
  }),
  z.strictObject({ name: z.literal('CP'), c: z.number(), cluster_of: z.literal('category_of_task') }),
]);
export type EngineStrategy = z.infer<typeof EngineStrategy>;

/** A run: its tasks and the category of each, its workers, and how their edits become one artifact. */
export const EngineInput = z.strictObject({
  task_ids: Keys,
  category_of_task: z.record(z.string(), z.string()),
  /** The keys that the artifact may have. */
  artifact_keys_declared: Keys,
  n_workers: Count,
  rounds: Count,
  /** Units that ran at once; only with 1 is the order of the library's trace certain, and the trace given. */
  max_concurrency: Count,
  held_out_frac: z.number().gt(0).lt(1),
  self_verify: z.literal(false),
  /** Edits that a merge waits for, and the rounds for which it does. */
  batch_trigger: Count,
  max_wait_rounds: Count,
  /** The lag that the policy `guarded` puts up with. */
  alpha_tail: z.number().int().min(0),
  proposed_value: z.enum(['rule for <category>', 'values differ per task']),
  strategy: EngineStrategy,
  /** Rounds from one snapshot of a worker to its next. */
  refresh_interval: Count.default(1),
  staleness_policy: StalenessPolicy.default('guarded'),
  target_reward: z.number().nullable().default(null),
  max_rollouts: Count.nullable().default(null),
});
export type EngineInput = z.infer<typeof EngineInput>;
