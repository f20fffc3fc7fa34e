import { z } from 'zod';
import { ResolvedConfig } from './config.ts';
import { ForkedFrom } from './fork.ts';
import { RunPlan } from './run-plan.ts';
import { Task } from './task.ts';

/**
 * `run.json`: everything that a run was resolved to before its first evaluation. Written once by the
 * resolving activity and read by every other; a run never looks at its config file or task folder again.
 */
export const ResolvedRun = z.strictObject({
  v: z.literal(1),
  plan: RunPlan,
  config: ResolvedConfig,
  task: Task,
  /** The node of another run that it started from; `null` for a run that began with nothing. */
  forkedFrom: ForkedFrom.nullable().default(null),
  /** The goal in force: the config's, else the task's. */
  goal: z.string(),
  /** What had no effect or was decided for the user, in words; shown and kept in the report. */
  warnings: z.array(z.string().max(500)).max(100),
  /** Keys of AI-Scientist-v2 that were accepted without effect. */
  ignoredKeys: z.array(z.string().max(200)).max(200),
  environment: z.strictObject({
    /** Path of the interpreter that runs the experiments. */
    python: z.string(),
    pythonVersion: z.string(),
    /** Hash over the installed Python packages; part of an evaluation's identity. */
    packages: z.string(),
    /** Absolute path of the data folder; `null` when there is none. */
    dataDir: z.string().nullable(),
    /** BLAS threads per evaluation. */
    threads: z.number().int().min(1),
  }),
});
export type ResolvedRun = z.infer<typeof ResolvedRun>;
