import { z } from 'zod';
import { StageName } from './ids.ts';
import { Operator } from './item.ts';
import { MetricValue } from './metric.ts';

/**
 * What the four stages are: which operators they use, how many nodes they may make, on which datasets
 * they evaluate, and when they are done. A definition is data; the search interprets it.
 */

/** A rule that ends a stage. All of them are checked between dispatches; the first that holds gives the reason. */
export const CompletionRule = z.discriminatedUnion('rule', [
  /** Done when at least `min` good nodes were made in the stage (the carried one does not count). */
  z.strictObject({ rule: z.literal('good_nodes'), min: z.number().int().min(1) }),
  /** Done when the last `nodes` nodes brought nothing better than the best before them. */
  z.strictObject({ rule: z.literal('patience'), nodes: z.number().int().min(1) }),
  /** Done when the best metric, the carried node's included, is `value` or better. */
  z.strictObject({ rule: z.literal('target'), value: MetricValue }),
]);
export type CompletionRule = z.infer<typeof CompletionRule>;

/** Why a stage ended. Closed list. */
export const CompletionReason = z.enum([
  'good_nodes',
  'patience',
  'node_limit',
  'exhausted',
  'no_way_on',
  'stopped',
  'skipped',
  'budget',
  'target',
]);
export type CompletionReason = z.infer<typeof CompletionReason>;

/** The definition of a stage in a run. */
export const StageDefinition = z.strictObject({
  name: StageName,
  /** The operator of the stage beside `debug`, and `draft` where there is nothing to start from. */
  operator: Operator,
  /** Nodes that may be dispatched; carried nodes, replication and plots do not count. */
  maxNodes: z.number().int().min(0).max(100_000),
  datasets: z.array(z.string()).min(1).max(50),
  rules: z.array(CompletionRule).max(10),
  /** Whether the best nodes are plotted. */
  plots: z.boolean(),
});
export type StageDefinition = z.infer<typeof StageDefinition>;

/** What each stage is for, in words for people. */
export const STAGE_GOALS: Readonly<Record<StageName, string>> = {
  initial_implementation: 'a first working version on one dataset',
  baseline_tuning: 'tune what works, component by component',
  creative_research: 'bolder changes, on all datasets, with figures',
  ablation_studies: 'what each component is worth',
};

/** What each stage does with nodes. */
export const STAGE_OPERATORS: Readonly<Record<StageName, Operator>> = {
  initial_implementation: 'improve',
  baseline_tuning: 'tune',
  creative_research: 'improve',
  ablation_studies: 'ablate',
};
