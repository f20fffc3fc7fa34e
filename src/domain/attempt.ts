import { z } from 'zod';
import { EvaluationKind } from './evaluation.ts';
import { DeviceName, EvaluationId, RunId } from './ids.ts';
import { MetricSpec } from './metric.ts';

/**
 * The files of an attempt's folder that are not the program's: what was started (`attempt.json`, `spec.json`)
 * by the worker, how it went (`shim.json`, `exit.json`) by the shim. A worker that finds the folder after a
 * crash needs nothing else.
 */

/** The try of a Temporal activity that an attempt belongs to, so that its end can be told by activity id. */
export const ActivityAddress = z.strictObject({
  workflowId: z.string(),
  /** Temporal's id of the workflow execution. */
  executionId: z.string(),
  activityId: z.string(),
  /** Temporal's counter of tries, from 1. */
  attempt: z.number().int().min(1),
});
export type ActivityAddress = z.infer<typeof ActivityAddress>;

/** `attempt.json`: what the attempt is for, written before anything starts. */
export const AttemptRecord = z.strictObject({
  v: z.literal(1),
  runId: RunId,
  evaluation: EvaluationId,
  /** `<dispatch>.<Temporal attempt>` */
  attempt: z.string().regex(/^\d+\.\d+$/),
  device: DeviceName,
  kind: EvaluationKind,
  dataset: z.string(),
  seed: z.number().int(),
  metric: MetricSpec,
  /** `null` for an attempt that no workflow asked for. */
  activity: ActivityAddress.nullable(),
  /** Whether its result is for other runs of the project too (adapters/evaluation-cache.ts). */
  shared: z.boolean().default(false),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

/** Where nothing is written: more files than a program needs, and fewer than slow the machine down. */
export const MOST_FILES = 100_000;

/** Limits that the shim enforces. */
export const AttemptLimits = z.strictObject({
  time_s: z.number().positive(),
  grace_s: z.number().min(0),
  /** Resident memory of the whole process tree; `null` = no limit. */
  memory_bytes: z.number().int().positive().nullable(),
  /** Of the output, and again of `results.jsonl`. */
  output_bytes: z.number().int().positive(),
  /** Of a file that the program writes, and of its folders together. */
  disk_bytes: z.number().int().positive(),
  /** Files and folders that it has at once; attempts of release 0.1.0 have no such limit. */
  files: z.number().int().positive().default(MOST_FILES),
});
export type AttemptLimits = z.infer<typeof AttemptLimits>;

/** `spec.json`: what the shim is told. Keys as Python has them. */
export const ShimSpec = z.strictObject({
  folder: z.string(),
  cwd: z.string(),
  argv: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()),
  /** Stands in the environment of everything that the attempt starts; by it leftovers are found. */
  marker: z.string(),
  disk_folders: z.array(z.string()),
  limits: AttemptLimits,
});
export type ShimSpec = z.infer<typeof ShimSpec>;

/** Why the shim ended the program; `lost` = the shim itself was killed, and the worker wrote the record. */
export const StopReason = z.enum([
  'timeout',
  'out_of_memory',
  'output_too_large',
  'disk_quota',
  /** The program deleted the folder of its attempt, and with it what it had reported. */
  'folder_deleted',
  'cancelled',
  'lost',
]);
export type StopReason = z.infer<typeof StopReason>;

/** `exit.json`: how the program ended; written only when nothing of the attempt is alive any more. */
export const ExitRecord = z.strictObject({
  v: z.literal(1),
  /** `null` when the program ended by itself. */
  reason: StopReason.nullable(),
  exit_code: z.number().int().nullable(),
  /** Such as `SIGSEGV`; `null` for a program that exited. */
  signal: z.string().nullable(),
  duration_ms: z.number().min(0),
  /** Highest resident memory of any single process; `null` where it could not be measured. */
  peak_memory_kib: z.number().min(0).nullable(),
  /** CPU time of the whole tree. */
  cpu_ms: z.number().min(0).nullable(),
  output_truncated: z.boolean(),
  /** Processes that the program left running when it ended. */
  stragglers: z.number().int().min(0),
  ended_by: z.enum(['shim', 'worker']),
});
export type ExitRecord = z.infer<typeof ExitRecord>;
