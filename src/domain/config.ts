import { z } from 'zod';
import { Duration } from './duration.ts';
import { ProposerKind } from './proposal.ts';
import { ScheduleKind } from './run-plan.ts';

/**
 * The configuration of a run. The keys of AI-Scientist-v2 keep their names, so that its `bfts_config.yaml`
 * loads unchanged; those that had no effect there are accepted and listed as ignored (domain/config-legacy.ts).
 * Own sections stand beside them. Durations are milliseconds once parsed.
 */

const count = (max: number): z.ZodNumber => z.number().int().min(0).max(max);

const Stages = z.strictObject({
  stage1_max_iters: count(100_000).default(20).describe('nodes of stage 1, initial implementation, at most'),
  stage2_max_iters: count(100_000).default(12).describe('nodes of stage 2, baseline tuning, at most'),
  stage3_max_iters: count(100_000).default(12).describe('nodes of stage 3, creative research, at most'),
  stage4_max_iters: count(100_000).default(18).describe('nodes of stage 4, ablation studies, at most'),
});

const AgentSearch = z.strictObject({
  num_drafts: z.number().int().min(1).max(1000).default(3).describe('roots of the tree in stage 1, exactly'),
  debug_prob: z.number().min(0).max(1).default(0.5).describe('probability of repairing a buggy leaf, per slot'),
  max_debug_depth: count(100).default(3).describe('debug steps in a row, exactly'),
});

const MultiSeed = z.strictObject({
  num_seeds: count(1000).default(3).describe('seeds on which the best node is evaluated again'),
  scope: z.enum(['best', 'node']).default('best').describe('best = only the best node of a stage, node = every good node'),
});

const Agent = z.strictObject({
  type: z.enum(['parallel', 'sequential']).default('parallel').describe('sequential = one worker'),
  num_workers: z.number().int().min(1).max(1000).default(4).describe('worker slots of the plan; capped by the GPUs where there are any'),
  steps: count(100_000).default(5).describe('nodes of a stage whose stageN_max_iters is missing'),
  stages: Stages.prefault({}),
  search: AgentSearch.prefault({}),
  multi_seed_eval: MultiSeed.prefault({}),
});

const Exec = z.strictObject({
  timeout: Duration.default(3_600_000).describe('run time of one evaluation, at most'),
  grace: Duration.default(5000).describe('time between SIGTERM and SIGKILL'),
  heartbeat_timeout: Duration.default(60_000).describe('silence of a device worker after which its evaluation is tried again; longer than a server restart'),
  max_dispatches: z.number().int().min(1).max(100).default(3).describe('devices on which an evaluation is tried after platform failures'),
  memory: z.string().regex(/^\d+(MiB|GiB)$/).nullable().default(null).describe('memory of the program, at most, e.g. 4GiB; null = no limit'),
  output: z.string().regex(/^\d+(KiB|MiB|GiB)$/).default('16MiB').describe('what the program may print and report, at most'),
  disk: z.string().regex(/^\d+(MiB|GiB)$/).default('2GiB').describe('size of a file that the program writes, at most'),
  sandbox: z.enum(['process']).default('process').describe('isolation tier'),
  threads: z.number().int().min(1).max(1024).nullable().default(null).describe('BLAS threads per device; null = cores divided by CPU slots'),
});

const Proposer = z.strictObject({
  kind: ProposerKind.default('search_space').describe('search_space = from the component space, scripted = from a file'),
  script: z.string().max(500).nullable().default(null).describe('the file of a scripted proposer'),
  window: z.number().int().min(1).max(2000).default(200).describe('latest nodes that a proposal learns from'),
  timeout: Duration.default(600_000).describe('time of one proposal, at most'),
});

const Search = z.strictObject({
  policy: z.enum(['best_first']).default('best_first').describe('which node is worked on next'),
  good_nodes: z.number().int().min(1).max(1000).default(1).describe('good nodes with which stage 1 is done, once every draft is in'),
  patience: z.number().int().min(1).max(10_000).nullable().default(null).describe('nodes without a better best after which stages 2 and 3 end; null = no such rule'),
  ablation_pairs: z.boolean().default(false).describe('whether stage 4 also removes pairs of components'),
  all_datasets_from: z.number().int().min(1).max(5).default(3).describe('first stage that evaluates on all datasets; 5 = none'),
});

const Strategy = z.strictObject({
  name: z.string().max(100).default('in_order').describe('a name listed by scientist strategies'),
  options: z.record(z.string(), z.json()).default({}).describe('options of the strategy'),
});

const Budget = z.strictObject({
  nodes: z.number().int().min(1).max(1_000_000).nullable().default(null).describe('nodes of the whole run, at most; null = the stages’ own limits'),
});

const Server = z.strictObject({
  max_history_events: z.number().int().min(50).max(40_000).default(12_000).describe('events after which a stage drains and continues as new'),
  priority: z.number().int().min(1).max(5).default(3).describe('priority on shared devices, 1 = first'),
});

const ReportSection = z.strictObject({
  html: z.boolean().default(true).describe('whether report.html is written beside report.md'),
});

/** The configuration of a run, after the legacy keys without effect were taken out. */
export const RunConfig = z.strictObject({
  task: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/).default('digits').describe('a folder of experiments/, or of tasks_dir'),
  tasks_dir: z.string().max(500).nullable().default(null).describe('folder with tasks of your own; null = experiments/'),
  goal: z.string().max(2000).nullable().default(null).describe('replaces the goal of the task'),
  data_dir: z.string().max(500).nullable().default(null).describe('folder with data, given to every evaluation for reading'),
  seed: z.number().int().min(0).max(2_000_000_000).default(0).describe('root of every random stream and seed'),
  deterministic: z.boolean().default(false).describe('refuses whatever depends on timing, so that equal runs give equal journals'),
  agent: Agent.prefault({}),
  exec: Exec.prefault({}),
  proposer: Proposer.prefault({}),
  search: Search.prefault({}),
  strategy: Strategy.prefault({}),
  schedule: ScheduleKind.default('barrier').describe('barrier = rounds, async = each worker is refilled when it is free'),
  devices: z.union([z.literal('auto'), z.string().max(500)]).default('auto').describe('auto, cpu:2, gpu:0,1'),
  budget: Budget.prefault({}),
  server: Server.prefault({}),
  report: ReportSection.prefault({}),
});
export type RunConfig = z.infer<typeof RunConfig>;
/** The configuration as a person writes it. */
export type RunConfigInput = z.input<typeof RunConfig>;
