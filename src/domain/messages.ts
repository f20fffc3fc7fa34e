import { z } from 'zod';
import { DropReason, FailureReason } from './failure.ts';
import { NodeId, RunId, StageName } from './ids.ts';
import { Item } from './item.ts';
import { JournalEvent } from './journal.ts';
import { GoodNode, Node, StageNode } from './node.ts';
import { CompletionReason } from './stage.ts';

/**
 * Names and payloads on the wire: workflow types, activities, signals, updates, queries, search
 * attributes. They are contract; a test freezes them. Everything else may be renamed.
 */

/** Workflow types: the run, and one per stage. */
export const WORKFLOW_TYPES = {
  research: 'research',
  initial_implementation: 'initialImplementation',
  baseline_tuning: 'baselineTuning',
  creative_research: 'creativeResearch',
  ablation_studies: 'ablationStudies',
} as const satisfies Record<StageName | 'research', string>;

/** Message names. The run sends `pause`, `unpause`, `stop`, `skipStage`, `setWorkers` and `setBudget` on to its stage as signals. */
export const MESSAGES = {
  pause: 'pause',
  unpause: 'unpause',
  stop: 'stop',
  skipStage: 'skipStage',
  setWorkers: 'setWorkers',
  setBudget: 'setBudget',
  retryStage: 'retryStage',
  cancelNode: 'cancelNode',
  pinNode: 'pinNode',
  pruneNode: 'pruneNode',
  addItem: 'addItem',
  setStrategy: 'setStrategy',
  status: 'status',
  journal: 'journal',
  best: 'best',
  outcomes: 'outcomes',
  plan: 'plan',
  /** From a stage to its run: there is a new best node. */
  stageProgress: 'stageProgress',
} as const;

/** Search attributes and their types in the server. */
export const SEARCH_ATTRIBUTES = {
  ResearchTask: 'Keyword',
  ResearchStage: 'Keyword',
  ResearchStatus: 'Keyword',
  ResearchBest: 'Double',
  ResearchCostUsd: 'Double',
  ResearchNodes: 'Int',
  ResearchBuggy: 'Int',
} as const;

/** Payload of the paged `journal` query; no payload means the first page. */
export const JournalQuery = z.strictObject({
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(100).default(50),
});

/** Counts of what became of the items of a stage or run. */
export const Outcomes = z.strictObject({
  dispatched: z.number().int().min(0),
  good: z.number().int().min(0),
  buggy: z.number().int().min(0),
  replicas: z.number().int().min(0),
  plots: z.number().int().min(0),
  dropped: z.partialRecord(DropReason, z.number().int().min(0)),
  /** Nodes that were the best of their stage when they came. */
  committed: z.number().int().min(0).default(0),
  /** Buggy nodes by their reason. */
  reasons: z.partialRecord(FailureReason, z.number().int().min(0)).default({}),
  /** Evaluations whose result was there already. */
  cached: z.number().int().min(0).default(0),
  /** Signals that could not be understood; they are counted, logged and otherwise ignored. */
  badSignals: z.number().int().min(0),
});
export type Outcomes = z.infer<typeof Outcomes>;

/** Counts at nothing. */
export function noOutcomes(): Outcomes {
  return {
    dispatched: 0,
    good: 0,
    buggy: 0,
    replicas: 0,
    plots: 0,
    dropped: {},
    committed: 0,
    reasons: {},
    cached: 0,
    badSignals: 0,
  };
}

/** What a worker of the plan is doing. */
export const RunningItem = z.strictObject({
  worker: z.number().int().min(0),
  item: Item,
  /** The node it makes or works on. */
  node: NodeId,
  /** `proposing`, `waiting for a device`, `digits on cpu0`. */
  doing: z.string().max(200),
});
export type RunningItem = z.infer<typeof RunningItem>;

/** Answer of `status`, of a run (its current stage inside) and of a stage. */
export const StageStatus = z.strictObject({
  runId: RunId,
  stage: StageName,
  state: z.enum(['running', 'paused', 'stopping', 'finished']),
  /** In one line why nothing is running; `null` while something is. */
  waitingFor: z.string().max(300).nullable(),
  nodes: z.number().int().min(0),
  maxNodes: z.number().int().min(0),
  /** The node that a person pinned. */
  pinned: NodeId.nullable().default(null),
  best: GoodNode.nullable(),
  base: Node.nullable(),
  running: z.array(RunningItem).max(1000),
  outcomes: Outcomes,
});
export type StageStatus = z.infer<typeof StageStatus>;

/** Payload of `stageProgress`. */
export const StageProgress = z.strictObject({ stage: StageName, best: GoodNode.nullable() });
export type StageProgress = z.infer<typeof StageProgress>;

/** How a stage ended, for the run and for people. */
export const StageSummary = z.strictObject({
  stage: StageName,
  reason: CompletionReason,
  text: z.string().max(300),
  best: GoodNode.nullable(),
  outcomes: Outcomes,
});
export type StageSummary = z.infer<typeof StageSummary>;

/** How a run ended. */
export const RunOutcome = z.enum(['completed', 'no_good_node', 'stopped', 'cancelled']);
export type RunOutcome = z.infer<typeof RunOutcome>;

/** A stage that failed and waits for a person. */
export const ParkedStage = z.strictObject({ stage: StageName, why: z.string().max(300) });
export type ParkedStage = z.infer<typeof ParkedStage>;

/** Answer of `status` on a run. */
export const RunStatus = z.strictObject({
  runId: RunId,
  task: z.string(),
  state: z.enum(['resolving', 'running', 'paused', 'needs_attention', 'stopping', 'reporting', 'finished']),
  stage: StageName.nullable(),
  finished: z.array(StageSummary).max(4),
  waitingFor: z.string().max(300).nullable(),
  /** The stage that failed and waits to be retried or skipped. */
  parked: ParkedStage.nullable().default(null),
});
export type RunStatus = z.infer<typeof RunStatus>;

/** Result of the `research` workflow. */
export const ResearchResult = z.strictObject({
  runId: RunId,
  outcome: RunOutcome,
  best: GoodNode.nullable(),
  stages: z.array(StageSummary).max(4),
  /** Paths relative to the project's home. */
  report: z.string(),
});
export type ResearchResult = z.infer<typeof ResearchResult>;

/** Input of `recordEvent`: one journal event, written under its number. */
export const RecordEventInput = z.strictObject({ runId: RunId, event: JournalEvent });
export type RecordEventInput = z.infer<typeof RecordEventInput>;

/** Input of `writeReport`. */
export const WriteReportInput = z.strictObject({
  runId: RunId,
  outcome: RunOutcome,
  best: NodeId.nullable(),
  stages: z.array(StageSummary).max(4),
});
export type WriteReportInput = z.infer<typeof WriteReportInput>;

/** A page of the journal of a stage, as the query gives it. */
export const JournalPage = z.strictObject({ total: z.number().int(), nodes: z.array(StageNode) });
export type JournalPage = z.infer<typeof JournalPage>;
