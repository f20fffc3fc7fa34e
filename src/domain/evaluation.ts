import { z } from 'zod';
import { FailureReason } from './failure.ts';
import { DeviceName, EvaluationId, NodeId, Ref, RunId, StageName } from './ids.ts';
import { MetricValue } from './metric.ts';

/**
 * An evaluation is one execution of a node's experiment on one dataset with one seed. It is identified by
 * a hash of everything that can change its result; each try of it is an attempt with a folder of its own.
 */

/** What is run: the entry program for a value, or the plot program for figures. */
export const EvaluationKind = z.enum(['measure', 'plot']);
export type EvaluationKind = z.infer<typeof EvaluationKind>;

/** What the evaluation activity is told; all else it reads from the run's folder by run id. */
export const EvaluateInput = z.strictObject({
  runId: RunId,
  stage: StageName,
  node: NodeId,
  experiment: Ref,
  kind: EvaluationKind,
  dataset: z.string().max(60),
  /** Seeds Python, numpy and the program; whole, 0 to 2^31 - 1. */
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  /** Counts the stage's dispatches of this evaluation from 1; with Temporal's attempt it names the attempt. */
  dispatch: z.number().int().min(1).max(1000),
});
export type EvaluateInput = z.infer<typeof EvaluateInput>;

const outcome = {
  /** `<dispatch>.<Temporal attempt>` of the try that gave this result. */
  attempt: z.string().regex(/^\d+\.\d+$/),
  device: DeviceName,
  durationMs: z.number().min(0),
  /** Highest resident memory of any process of the program, MiB; `null` where it could not be measured. */
  peakMemoryMiB: z.number().min(0).nullable(),
  /** Figures (PNG or SVG files) in the output folder. */
  figures: z.number().int().min(0).max(10_000),
  /** Whether it was taken from an earlier result rather than run. */
  cached: z.boolean(),
};

/** The result of an evaluation, at most 4 KiB. A failed experiment is a value, not an exception (P3). */
export const EvaluationResult = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('finished'),
    /** The metric's final value; `null` for a plot, which has none. */
    value: MetricValue.nullable(),
    evaluation: EvaluationId,
    ...outcome,
  }),
  z.strictObject({
    status: z.literal('failed'),
    reason: FailureReason,
    /** What happened, for people: the exception's last line, the exit code, the limit. */
    message: z.string().max(600),
    exitCode: z.number().int().nullable(),
    signal: z.string().max(20).nullable(),
    /** `null` when the platform gave up before any attempt could tell. */
    evaluation: EvaluationId.nullable(),
    ...outcome,
  }),
]);
export type EvaluationResult = z.infer<typeof EvaluationResult>;

/** A line of `results.jsonl`, the contract with an experiment program: with `step` it is progress, without it final. */
export const ResultLine = z.object({
  metric: z.string().max(64),
  value: z.number(),
  dataset: z.string().max(60),
  step: z.number().int().min(0).exactOptional(),
});
export type ResultLine = z.infer<typeof ResultLine>;

/** Heartbeat details of a running evaluation: where it is, and its latest reported value. */
export const EvaluationProgress = z.strictObject({
  attempt: z.string(),
  elapsedMs: z.number(),
  latest: z.strictObject({ value: z.number(), step: z.number().int().nullable() }).nullable(),
});
export type EvaluationProgress = z.infer<typeof EvaluationProgress>;

/** How an evaluation went, as the journal keeps it; what depends on timing is listed in {@link TIMING_FIELDS}. */
export const EvaluationRecord = z.strictObject({
  dataset: z.string(),
  seed: z.number().int(),
  result: EvaluationResult,
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;

/** The fields of a result that may differ between a disturbed and an undisturbed run (P2). */
export const TIMING_FIELDS = ['attempt', 'device', 'durationMs', 'peakMemoryMiB', 'cached'] as const;

/** The Temporal activity id of a dispatch, readable in the Web UI: `n7/digits/s1/d1`. */
export function evaluationActivityId(input: Pick<EvaluateInput, 'node' | 'kind' | 'dataset' | 'seed' | 'dispatch'>): string {
  const what = input.kind === 'plot' ? 'plot' : input.dataset;
  return `${input.node}/${what}/s${input.seed}/d${input.dispatch}`;
}

/** Whether two activity ids of one workflow are dispatches of the same evaluation. */
export function isSameEvaluation(a: string, b: string): boolean {
  const evaluationOf = (id: string): string => id.replace(/\/d\d+$/, '');
  return evaluationOf(a) === evaluationOf(b);
}
