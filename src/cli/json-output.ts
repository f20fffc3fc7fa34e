import { z } from 'zod';
import { Device } from '../domain/device.ts';
import { DiskUse } from '../domain/disk-use.ts';
import { ForkedFrom } from '../domain/fork.ts';
import { JournalEvent } from '../domain/journal.ts';
import { RunStatus, StageStatus } from '../domain/messages.ts';
import { MetricSpec } from '../domain/metric.ts';
import { RunId, StageName } from '../domain/ids.ts';
import { Node } from '../domain/node.ts';
import { CompletionReason } from '../domain/stage.ts';
import { RunPlan } from '../domain/run-plan.ts';
import { RetryingActivity } from './retrying.ts';

/**
 * What commands print with `--json`: one document on standard output. Within a version `v` keys are only
 * ever added.
 */

/** `idle` = unfinished, and no server of this project runs; `unresolved` = known to the server, not on disk. */
export const RunState = z.enum(['running', 'idle', 'finished', 'failed', 'cancelled', 'terminated', 'unresolved']);
export type RunState = z.infer<typeof RunState>;

/** A stage as the journal on disk has it. */
export const StageOutput = z.strictObject({
  stage: StageName,
  good: z.number().int(),
  buggy: z.number().int(),
  dropped: z.number().int(),
  /** Evaluations that were answered with an earlier result instead of run. */
  cached: z.number().int(),
  best: Node.nullable(),
  finished: z.strictObject({ reason: CompletionReason, text: z.string() }).nullable(),
});

/** `status --json`. */
export const StatusOutput = z.strictObject({
  v: z.literal(1),
  runId: RunId,
  state: RunState,
  task: z.string().nullable(),
  metric: MetricSpec.nullable(),
  /** The node of another run that it started from; `null` for a run that began with nothing. */
  forkedFrom: ForkedFrom.nullable(),
  /** From the journal on disk, in order. */
  stages: z.array(StageOutput),
  /** Path of the report; `null` before it is written. */
  report: z.string().nullable(),
  /** What the run and its stage answer; `null` when nobody answers. */
  live: z.strictObject({ run: RunStatus, stage: StageStatus.nullable() }).nullable(),
  /** What failed and is tried again now. */
  retrying: z.array(RetryingActivity),
  /** What its folder takes; `null` while it has none. */
  disk: DiskUse.nullable(),
});
export type StatusOutput = z.infer<typeof StatusOutput>;

/** `list --json`. */
export const ListOutput = z.strictObject({
  v: z.literal(1),
  runs: z.array(
    z.strictObject({
      runId: RunId,
      state: RunState,
      task: z.string().nullable(),
      stage: StageName.nullable(),
      good: z.number().int(),
      buggy: z.number().int(),
      best: Node.nullable(),
      report: z.string().nullable(),
      /** What its folder takes. */
      disk: DiskUse.nullable(),
    }),
  ),
});
export type ListOutput = z.infer<typeof ListOutput>;

/** `journal --json`. */
export const JournalOutput = z.strictObject({ v: z.literal(1), runId: RunId, events: z.array(JournalEvent) });
export type JournalOutput = z.infer<typeof JournalOutput>;

/** `run --dry-run --json`. */
export const PlanOutput = z.strictObject({
  v: z.literal(1),
  plan: RunPlan,
  warnings: z.array(z.string()),
  ignoredKeys: z.array(z.string()),
  /** Evaluations of the search itself at most, replication included. */
  evaluations: z.number().int(),
});
export type PlanOutput = z.infer<typeof PlanOutput>;

/** `devices --json`. */
export const DevicesOutput = z.strictObject({
  v: z.literal(1),
  devices: z.array(Device),
  cores: z.number().int(),
  warnings: z.array(z.string()),
});
export type DevicesOutput = z.infer<typeof DevicesOutput>;

/** `doctor --json`. */
export const DoctorOutput = z.strictObject({
  v: z.literal(1),
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({ name: z.string(), ok: z.boolean(), needed: z.boolean(), found: z.string(), fix: z.string().nullable() }),
  ),
});
export type DoctorOutput = z.infer<typeof DoctorOutput>;

/** Prints a document. */
export function printJson<T>(out: (line: string) => void, schema: z.ZodType<T>, value: T): void {
  out(JSON.stringify(schema.parse(value), null, 2));
}
