import { z } from 'zod';
import { Device } from './device.ts';
import { ComponentKey } from './experiment.ts';
import { ForkRequest, RunStart } from './fork.ts';
import { RunId, StageName } from './ids.ts';
import { MetricSpec } from './metric.ts';
import { StageDefinition } from './stage.ts';
import { StrategyChoice } from './steering.ts';

/**
 * What the workflows of a run need to know of it: the part of its resolved configuration that decides
 * something there. The whole of it (programs, paths, environment) lies in `run.json` in the run's folder.
 * At most 64 KiB as a payload.
 */

/** Input of `research`: the path of a config file, with changes. A path is relative to the project root. */
export const ResearchInput = z.strictObject({
  config: z.string().min(1).max(500),
  /** Changes to the config, as `--set` takes them: `{"agent.num_workers": "2"}`. */
  set: z.record(z.string().max(200), z.union([z.string().max(2000), z.number(), z.boolean()])).exactOptional(),
  /** The node of another run to start from, instead of from nothing; the task is that run's. */
  from: ForkRequest.exactOptional(),
});
export type ResearchInput = z.infer<typeof ResearchInput>;

/** How the fan-out is planned: barrier = rounds, async = each worker is refilled when it is free. */
export const ScheduleKind = z.enum(['barrier', 'async']);
export type ScheduleKind = z.infer<typeof ScheduleKind>;

/**
 * By which rule the good node that is improved next is chosen (search/selection).
 * `best`: the best one outside the branches that are worked on. `beam`: the best few in turn. `puct`: rank, and how
 * little it and what descends from it were improved. `uct`: what was not improved yet, then about the same, and
 * different ones at a time. `pareto`: in turn those that no other is better than on every dataset. `novelty`: drawn,
 * by rank and few improvements. `clades`: drawn, by what came of it. All but `best` know the metric by rank only.
 */
export const SelectionName = z.enum(['best', 'beam', 'puct', 'uct', 'pareto', 'novelty', 'clades']);
export type SelectionName = z.infer<typeof SelectionName>;

/** The rule of selection with its numbers. */
export const SelectionOptions = z.strictObject({
  name: SelectionName.default('best').describe(
    'which node is improved next; best = the best one outside the branches that are worked on',
  ),
  exploration: z
    .number()
    .min(0)
    .max(1000)
    .default(1.4)
    .describe('how much puct and uct prefer nodes that were improved less; 0 = by metric alone'),
  beamWidth: z.number().int().min(1).max(1000).default(3).describe('nodes that beam improves in turn'),
});
export type SelectionOptions = z.infer<typeof SelectionOptions>;

/** What is done with stale edits: take all, put them on the newest state or drop them, or put all on the newest state. */
export const StalenessPolicy = z.enum(['full', 'guarded', 'reflective']);
export type StalenessPolicy = z.infer<typeof StalenessPolicy>;

/** What becomes of an edit that was made while its stage found better nodes; nothing at a barrier. */
export const AsyncOptions = z.strictObject({
  staleness: StalenessPolicy.default('full').describe(
    'edits made while better nodes came: full = kept, guarded = put on the best or dropped, reflective = put on the best',
  ),
  tolerance: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe('better nodes since, up to which guarded puts an edit on the best one'),
});
export type AsyncOptions = z.infer<typeof AsyncOptions>;

/** The search rule's numbers. */
export const SearchOptions = z.strictObject({
  /** A name of the policy registry (search/registry.ts). */
  policy: z.string().max(60),
  numDrafts: z.number().int().min(1).max(1000),
  /** Probability of debugging a buggy leaf, 0 to 1, drawn per slot. */
  debugProb: z.number().min(0).max(1),
  /** Debug steps in a row at most, exact. */
  maxDebugDepth: z.number().int().min(0).max(100),
  /** Whether stage 4 also removes pairs of components after the single ones. */
  ablationPairs: z.boolean(),
  /** Nothing, as in plans of 0.1.0, = `best`. */
  selection: SelectionOptions.exactOptional(),
});
export type SearchOptions = z.infer<typeof SearchOptions>;

/** Multi-seed evaluation: how many seeds, and of which nodes. */
export const ReplicationOptions = z.strictObject({
  numSeeds: z.number().int().min(0).max(1000),
  /** `best`: the stage's best node at its end; `node`: each good node. */
  scope: z.enum(['best', 'node']),
});
export type ReplicationOptions = z.infer<typeof ReplicationOptions>;

/** Limits of an evaluation and of the platform's patience with it, all in milliseconds. */
export const ExecOptions = z.strictObject({
  timeoutMs: z.number().int().min(1),
  graceMs: z.number().int().min(0),
  proposalTimeoutMs: z.number().int().min(1),
  heartbeatTimeoutMs: z.number().int().min(1000),
  /** Pairs of tries that the platform may fail; then the node's reason is `infrastructure` (domain/tries.ts). */
  maxDispatches: z.number().int().min(1).max(100),
});
export type ExecOptions = z.infer<typeof ExecOptions>;

/** A component as the policy sees it. */
export const PlanComponent = z.strictObject({
  key: ComponentKey,
  group: z.string(),
  /** Whether the component has an ablated value and is not frozen. */
  ablatable: z.boolean(),
  /** Whether it may be tuned: not frozen, not the family key, more than one value. */
  tunable: z.boolean(),
});
export type PlanComponent = z.infer<typeof PlanComponent>;

/** The plan of a run. */
export const RunPlan = z.strictObject({
  v: z.literal(1),
  runId: RunId,
  task: z.string(),
  metric: MetricSpec,
  components: z.array(PlanComponent).max(500),
  stages: z.array(StageDefinition).length(4),
  /** Where a fork begins; the stages before are left out. `null` for a run that begins with nothing. */
  start: RunStart.nullable().default(null),
  /** Nodes of the whole run at most; `null` for the stages' own limits. Plans of 0.1.0 have it in those. */
  budgetNodes: z.number().int().min(0).nullable().default(null),
  /** Whether a stage that fails parks the run, so that a person can mend the cause, or ends it. */
  onStageFailure: z.enum(['park', 'fail']).default('fail'),
  search: SearchOptions,
  replication: ReplicationOptions,
  /** A name of the strategy registry with its options. */
  strategy: z.strictObject({ name: z.string(), options: z.record(z.string(), z.json()) }),
  /** Stages with a strategy of their own. */
  stageStrategies: z.partialRecord(StageName, StrategyChoice).default({}),
  schedule: ScheduleKind,
  /** Of the schedule `async`; plans of 0.2.0 have none. */
  async: AsyncOptions.prefault({}),
  /** The plan's worker slots. */
  numWorkers: z.number().int().min(1).max(1000),
  devices: z.array(Device).min(1).max(1000),
  /** Devices that the run uses at a time; `null` for all. Plans of 0.2.0 have none. */
  maxDevices: z.number().int().min(1).nullable().default(null),
  exec: ExecOptions,
  /** Root of every random stream, and of the seeds of evaluations. */
  seed: z.number().int().min(0),
  /** Prefix of the queue names. */
  queuePrefix: z.string().max(60),
  /** Priority of the run's tasks on shared queues, 1 (first) to 5. */
  priority: z.number().int().min(1).max(5),
  /** The registered search attributes; upserting an unknown one would hang the run for ever. */
  searchAttributes: z.array(z.string().max(60)).max(20),
  /** Events of history after which a stage drains and continues as new. */
  maxHistoryEvents: z.number().int().min(50),
});
export type RunPlan = z.infer<typeof RunPlan>;

/** The seed of the search: every node is first evaluated with it. */
export function searchSeed(plan: Pick<RunPlan, 'seed'>): number {
  return plan.seed % 1_000_000;
}

/** Seed number `replica` of the replication; all of them differ from each other and from the search seed. */
export function replicationSeed(plan: Pick<RunPlan, 'seed'>, replica: number): number {
  return searchSeed(plan) + 1_000_000 + replica;
}
