import { z } from 'zod';
import { DeviceKind } from '../domain/device.ts';
import { ParameterValue } from '../domain/experiment.ts';
import { DropReason, FailureReason } from '../domain/failure.ts';
import { ForkedFrom } from '../domain/fork.ts';
import { NodeId, Ref, RunId, StageName } from '../domain/ids.ts';
import { Operator } from '../domain/item.ts';
import { RunOutcome } from '../domain/messages.ts';
import { MetricSpec } from '../domain/metric.ts';
import { CompletionReason } from '../domain/stage.ts';
import { Verdict } from '../domain/statistics.ts';

/**
 * What a report says, as data; `report.json` holds it, `report.md` and `report.html` only print it.
 *
 * R1 A node's `metric` is its value on the search seed, which chose it. An {@link Estimate} counts only the
 *    replicas, on fresh seeds; the search seed is never among its `n`.
 * R2 A gain is positive when it is better, whatever the direction of the metric.
 * R3 Every number is one of the journal or computed from such; what cannot be computed is `null`.
 * R4 Plans, labels, messages and parameter values come from programs: text to be escaped, never markup.
 */

const Count = z.number().int().min(0);

/** The replicas of a node: its metric on fresh seeds, their mean, sample standard deviation and 95 % interval. */
export const Estimate = z.strictObject({
  /** Replicas with a value. */
  n: Count,
  /** Replicas of which an evaluation failed. */
  failed: Count,
  values: z.array(z.strictObject({ seed: Count, value: z.number() })),
  mean: z.number().nullable(),
  deviation: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Estimate = z.infer<typeof Estimate>;

/** A node held against another one. */
export const HeldAgainst = z.strictObject({
  node: NodeId,
  /** The gain on the search seed alone; `null` when one of the two has no metric. */
  searchSeedGain: z.number().nullable(),
  method: z.enum(['paired', 'welch', 'none']),
  n: Count,
  gain: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  verdict: Verdict,
  /**
   * For a verdict of `unknown` where one side has replicas: whether the other's only value lies `inside` or
   * `outside` the range in which one more seed would lie (95 % prediction interval).
   */
  spread: z.enum(['inside', 'outside']).nullable(),
  /** The verdict in plain words. */
  text: z.string(),
});
export type HeldAgainst = z.infer<typeof HeldAgainst>;

/** A component key that a node changed; the values are `null` where the key is a file or the experiment is not known. */
export const Change = z.strictObject({ key: z.string(), from: ParameterValue.nullable(), to: ParameterValue.nullable() });
export type Change = z.infer<typeof Change>;

/** A value on one dataset. */
export const Score = z.strictObject({ dataset: z.string(), value: z.number() });
export type Score = z.infer<typeof Score>;

const node = {
  node: NodeId,
  /** The stage that made it. */
  madeIn: StageName,
  operator: Operator,
  label: z.string(),
  parent: NodeId.nullable(),
  changes: z.array(Change),
};

/** A node in the tree of a stage, in the order in which the tree is printed: parents before their children. */
export const TreeRow = z.strictObject({
  ...node,
  /** Steps below the root of its tree. */
  depth: Count,
  /** Whether it is the node carried into the stage. */
  carried: z.boolean(),
  best: z.boolean(),
  state: z.enum(['good', 'buggy']),
  /** Whether a person took it out of the search, with the subtree that it is in. */
  pruned: z.boolean().exactOptional(),
  plan: z.string(),
  /** On the search seed; `null` for a buggy node. */
  metric: z.number().nullable(),
  /** The values there are, also of a node that failed on another dataset. */
  scores: z.array(Score),
  estimate: Estimate,
  failure: z.strictObject({ reason: FailureReason, message: z.string() }).nullable(),
  /** Device time of its evaluations, milliseconds, results taken from earlier ones left out. */
  durationMs: z.number().min(0),
  /** Its folder, relative to the run's. */
  folder: z.string(),
});
export type TreeRow = z.infer<typeof TreeRow>;

/** The best node of a stage. */
export const StageBest = z.strictObject({
  ...node,
  carried: z.boolean(),
  metric: z.number(),
  scores: z.array(Score),
  estimate: Estimate,
  againstParent: HeldAgainst.nullable(),
  /** `null` where nothing was carried or the carried node itself is the best. */
  againstCarried: HeldAgainst.nullable(),
});
export type StageBest = z.infer<typeof StageBest>;

/** What a stage's component is worth: the node without it, held against the node that was ablated. */
export const Ablation = z.strictObject({
  node: NodeId,
  /** The component, `a+b` for a pair. */
  component: z.string(),
  metric: z.number().nullable(),
  estimate: Estimate,
  /** `null` when the ablated program failed. */
  against: HeldAgainst.nullable(),
  failure: FailureReason.nullable(),
  /** What it means for the component, in words. */
  meaning: z.string(),
});
export type Ablation = z.infer<typeof Ablation>;

/** Failures of one reason. */
export const FailureCount = z.strictObject({
  reason: FailureReason,
  text: z.string(),
  count: Count,
  nodes: z.array(NodeId),
  /** The message of the first of them. */
  example: z.string(),
});
export type FailureCount = z.infer<typeof FailureCount>;

/** Items that made no node, of one reason. */
export const DropCount = z.strictObject({ reason: DropReason, text: z.string(), count: Count, example: z.string() });
export type DropCount = z.infer<typeof DropCount>;

/** Where figures of a node lie. */
export const FigureFolder = z.strictObject({
  node: NodeId,
  dataset: z.string(),
  seed: Count,
  count: Count,
  /** Relative to the run's folder. */
  folder: z.string(),
});
export type FigureFolder = z.infer<typeof FigureFolder>;

/** Counts of a stage or a run. Evaluations are those of nodes, carried nodes, replicas and plots together. */
export const Counts = z.strictObject({
  nodes: Count,
  good: Count,
  buggy: Count,
  replicas: Count,
  evaluations: Count,
  failedEvaluations: Count,
  /** Taken from an earlier result rather than run. */
  cached: Count,
  /** Device time, milliseconds. */
  durationMs: z.number().min(0),
});
export type Counts = z.infer<typeof Counts>;

/** What the report says of a stage. */
export const StageReport = z.strictObject({
  name: StageName,
  /** 1 to 4. */
  number: z.number().int(),
  goal: z.string(),
  state: z.enum(['finished', 'unfinished', 'not_started']),
  reason: CompletionReason.nullable(),
  /** Why it ended, or that it did not, in words. */
  ending: z.string(),
  operator: Operator,
  datasets: z.array(z.string()),
  maxNodes: Count,
  carried: NodeId.nullable(),
  counts: Counts,
  best: StageBest.nullable(),
  /** Which stage before it broke the chain, and how that is known; `null` where it has a good node. */
  blame: z.string().nullable(),
  tree: z.array(TreeRow),
  ablations: z.array(Ablation),
  failures: z.array(FailureCount),
  /** Plots and replicas that failed, one line each; they are no nodes. */
  troubles: z.array(z.string()),
  dropped: z.array(DropCount),
  figures: z.array(FigureFolder),
  /** What a person changed while the stage ran. */
  steered: z.array(z.string()),
});
export type StageReport = z.infer<typeof StageReport>;

/** A parameter of the best program that differs from the task's default. */
export const ChangedParameter = z.strictObject({
  key: z.string(),
  value: ParameterValue,
  initial: ParameterValue.nullable(),
  about: z.string(),
});
export type ChangedParameter = z.infer<typeof ChangedParameter>;

/** A node on the way from a root to the best node. */
export const LineageStep = z.strictObject({ ...node, metric: z.number().nullable(), datasets: z.array(z.string()) });
export type LineageStep = z.infer<typeof LineageStep>;

/** The best node of the run. */
export const BestNode = z.strictObject({
  ...node,
  /** The stage whose datasets and replicas the numbers are of. */
  stage: StageName,
  datasets: z.array(z.string()),
  metric: z.number(),
  scores: z.array(Score),
  estimate: Estimate,
  experiment: Ref,
  /** `null` when the experiment could not be read. */
  parameters: z.array(ChangedParameter).nullable(),
  lineage: z.array(LineageStep),
  /** The node's folder, relative to the run's. */
  folder: z.string(),
  /** Whether the complete program lies in `best/`. */
  kept: z.boolean(),
});
export type BestNode = z.infer<typeof BestNode>;

/** What a run was asked to do, and with what. */
export const RunFacts = z.strictObject({
  id: RunId,
  task: z.string(),
  goal: z.string(),
  metric: MetricSpec,
  /** The node of another run that it started from; `null` for a run that began with nothing. */
  forkedFrom: ForkedFrom.nullable(),
  datasets: z.array(z.string()),
  searchSeed: Count,
  /** Replication seeds per replicated node. */
  numSeeds: Count,
  devices: z.array(z.strictObject({ name: z.string(), kind: DeviceKind, host: z.string() })),
  workers: Count,
  /** The isolation in force. */
  tier: z.string(),
  strategy: z.string(),
  schedule: z.string(),
  proposer: z.string(),
  deterministic: z.boolean(),
  python: z.string(),
  warnings: z.array(z.string()),
  ignoredKeys: z.array(z.string()),
});
export type RunFacts = z.infer<typeof RunFacts>;

/** The whole report. */
export const ReportModel = z.strictObject({
  v: z.literal(1),
  run: RunFacts,
  outcome: RunOutcome,
  /** What was found, how sure that is, and what failed: one sentence each. */
  headline: z.strictObject({ found: z.string(), sure: z.string(), failed: z.string() }),
  counts: Counts,
  best: BestNode.nullable(),
  stages: z.array(StageReport).length(4),
});
export type ReportModel = z.infer<typeof ReportModel>;
