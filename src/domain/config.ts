import { z } from 'zod';
import { MOST_FILES } from './attempt.ts';
import { Duration, parseDuration } from './duration.ts';
import { StageName } from './ids.ts';
import { ProposerKind } from './proposal.ts';
import { AsyncOptions, ScheduleKind, SelectionOptions } from './run-plan.ts';
import { StrategyChoice } from './steering.ts';

/**
 * The configuration of a run. The keys of AI-Scientist-v2 keep their names, so that its `bfts_config.yaml`
 * loads unchanged; those without effect are accepted and listed as ignored (domain/config-legacy.ts).
 * Own sections stand beside them. Each `describe` is what the schema file, the errors and the editor show.
 *
 * C1 Parsing gives every key a value. Durations are milliseconds from then on.
 * C2 `ResolvedConfig` reads what `RunConfig` gave, unchanged: it is how a run keeps its configuration.
 */

const count = (max: number): z.ZodNumber => z.number().int().min(0).max(max);
const positive = (max: number): z.ZodNumber => z.number().int().min(1).max(max);
const path = z.string().min(1).max(500);
const size = z.string().regex(/^[1-9]\d{0,8}(KiB|MiB|GiB)$/, 'expected a size such as 512KiB, 16MiB or 4GiB');

/** Nodes of each stage where neither its own limit nor `agent.steps` is written; AI-Scientist-v2's numbers. */
const STAGE_LIMITS = { stage1_max_iters: 20, stage2_max_iters: 12, stage3_max_iters: 12, stage4_max_iters: 18 };

const limit = (least: z.ZodNumber, usual: number, what: string) =>
  least.exactOptional().meta({ default: usual, description: `nodes of ${what}, at most` });

const Stages = z.strictObject({
  stage1_max_iters: limit(positive(100_000), STAGE_LIMITS.stage1_max_iters, 'stage 1, initial implementation'),
  stage2_max_iters: limit(count(100_000), STAGE_LIMITS.stage2_max_iters, 'stage 2, baseline tuning'),
  stage3_max_iters: limit(count(100_000), STAGE_LIMITS.stage3_max_iters, 'stage 3, creative research'),
  stage4_max_iters: limit(count(100_000), STAGE_LIMITS.stage4_max_iters, 'stage 4, ablation studies'),
});

const AgentSearch = z.strictObject({
  num_drafts: positive(1000).default(3).describe('roots of the tree in stage 1, exactly'),
  debug_prob: z.number().min(0).max(1).default(0.5).describe('probability of repairing a buggy leaf, drawn per slot, 0 to 1'),
  max_debug_depth: count(100).default(3).describe('repairs in a row, at most; exact'),
});

const MultiSeed = z.strictObject({
  num_seeds: count(1000).default(3).describe('fresh seeds on which good nodes are evaluated again; 0 = none'),
  scope: z.enum(['best', 'node']).default('best').describe('best = the best node of a stage, at its end; node = every good node'),
});

const Agent = z
  .strictObject({
    type: z.enum(['parallel', 'sequential']).default('parallel').describe('sequential = one worker'),
    num_workers: positive(1000).default(4).describe('worker slots of the plan; capped by the GPUs where there are any'),
    steps: positive(100_000)
      .nullable()
      .default(null)
      .describe('nodes of each stage without a limit of its own; null = 20, 12, 12 and 18'),
    stages: Stages.prefault({}),
    search: AgentSearch.prefault({}),
    multi_seed_eval: MultiSeed.prefault({}),
  })
  .transform(({ stages, ...agent }) => {
    const { steps } = agent;
    const usual =
      steps === null
        ? STAGE_LIMITS
        : { stage1_max_iters: steps, stage2_max_iters: steps, stage3_max_iters: steps, stage4_max_iters: steps };
    return { ...agent, stages: { ...usual, ...stages } };
  });

/** A key whose value is a duration: how it is read, given its default in words. */
type DurationKey = (usual: string, about: string) => z.ZodPrefault<z.ZodType<number, number | string>>;

const exec = (duration: DurationKey) =>
  z.strictObject({
    timeout: duration('1h', 'run time of one evaluation, at most'),
    grace: duration('5s', 'time between SIGTERM and SIGKILL'),
    heartbeat_timeout: duration(
      '60s',
      'silence of a device worker after which its evaluation is tried again; longer than a server restart',
    ),
    max_dispatches: positive(100)
      .default(3)
      .describe('failures of the platform after which an evaluation is given up, in pairs: two tries on a device, then another'),
    memory: size.nullable().default(null).describe('memory of a program, at most, e.g. 4GiB; null = no limit'),
    output: size.default('16MiB').describe('what a program may print and report, at most'),
    disk: size.default('2GiB').describe('size of what a program writes, each file and all together, at most'),
    files: positive(10_000_000).default(MOST_FILES).describe('files and folders that a program makes, at most'),
    sandbox: z.enum(['process']).default('process').describe('isolation of programs: process = limits and environment'),
    threads: positive(1024).nullable().default(null).describe('BLAS threads per device; null = the cores divided by the devices'),
  });

const proposer = (duration: DurationKey) =>
  z.strictObject({
    kind: ProposerKind.default('search_space').describe(
      'search_space = from the component space of the task, scripted = from a file',
    ),
    script: path.nullable().default(null).describe('file of a scripted proposer, relative to the project'),
    window: positive(2000).default(200).describe('latest nodes that a proposal learns from'),
    timeout: duration('10m', 'time of one proposal, at most'),
  });

const Search = z.strictObject({
  policy: z.enum(['best_first']).default('best_first').describe('which node is worked on next'),
  selection: SelectionOptions.shape.name,
  exploration: SelectionOptions.shape.exploration,
  beam_width: SelectionOptions.shape.beamWidth,
  good_nodes: positive(1000).default(1).describe('good nodes with which stage 1 is done, once every draft is in'),
  patience: positive(10_000)
    .nullable()
    .default(null)
    .describe('nodes without a better best after which stages 2 and 3 end; null = no such rule'),
  target: z.number().nullable().default(null).describe('metric with which stages 2 and 3 are done; null = no such rule'),
  ablation_pairs: z.boolean().default(false).describe('whether stage 4 also removes pairs of components'),
  all_datasets_from: positive(5).default(3).describe('first stage that evaluates on all datasets of the task; 5 = none'),
});

const Export = z.string().regex(/^[A-Za-z_$][A-Za-z0-9_$]{0,59}$/, 'expected the name of an export of the module');
const hasBoth = (choice: { module?: string | null; export?: string | null }): boolean =>
  (choice.module ?? null) === null || (choice.export ?? null) !== null;
const BOTH = { path: ['export'], error: 'needed beside module: the name of the export that is the strategy' };

/** The strategy of a single stage, as the file has it. */
const StageStrategy = z
  .strictObject({ ...StrategyChoice.shape, module: path.exactOptional(), export: Export.exactOptional() })
  .refine(hasBoth, BOTH);

const Strategy = z
  .strictObject({
    name: z.string().min(1).max(100).default('in_order').describe('how the work is split over the workers'),
    module: path
      .nullable()
      .default(null)
      .describe('file with a strategy of your own, relative to the project; null = a built-in'),
    export: Export.nullable().default(null).describe('the export of that file which is the strategy'),
    options: z.record(z.string().max(100), z.json()).default({}).describe('options of that strategy'),
    stages: z
      .partialRecord(StageName, StageStrategy)
      .default({})
      .describe('another strategy for single stages, as {creative_research: {name: ..., options: {...}}}'),
  })
  .refine(hasBoth, BOTH);

const Budget = z.strictObject({
  nodes: positive(1_000_000)
    .nullable()
    .default(null)
    .describe('nodes of the whole run, at most; what a stage leaves, later ones may use; null = their own limits'),
});

const Server = z.strictObject({
  max_history_events: z
    .number()
    .int()
    .min(50)
    .max(40_000)
    .default(12_000)
    .describe('events of history after which a stage drains and continues as new'),
  on_stage_failure: z
    .enum(['park', 'fail'])
    .default('park')
    .describe(
      'what becomes of the run when a stage fails: park = it waits for a person, who retries or skips it; fail = it ends',
    ),
  priority: positive(5).default(3).describe('priority on devices shared with other runs, 1 = first, 5 = last'),
});

const ReportSection = z.strictObject({
  html: z.boolean().default(true).describe('whether report.html is written beside report.md'),
});

const runConfig = (duration: DurationKey) =>
  z.strictObject({
    task: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,30}$/, 'a task is named by 1 to 31 of a-z, 0-9, dash and underscore')
      .default('digits')
      .describe('what is researched: a folder of experiments/, or of tasks_dir'),
    tasks_dir: path
      .nullable()
      .default(null)
      .describe('folder with tasks of your own, relative to the project; null = experiments'),
    goal: z.string().min(1).max(2000).nullable().default(null).describe('replaces the goal of the task'),
    data_dir: path.nullable().default(null).describe('folder with data that every evaluation may read, relative to the project'),
    seed: count(2_000_000_000).default(0).describe('root of every random stream and seed'),
    deterministic: z.boolean().default(false).describe('refuses what depends on timing, so that equal runs give equal journals'),
    agent: Agent.prefault({}),
    exec: exec(duration).prefault({}),
    proposer: proposer(duration).prefault({}),
    search: Search.prefault({}),
    strategy: Strategy.prefault({}),
    schedule: ScheduleKind.default('barrier').describe('barrier = rounds, async = each worker is refilled when it is free'),
    async: AsyncOptions.prefault({}),
    cache: z
      .enum(['run', 'project', 'off'])
      .default('run')
      .describe('equal evaluations: run = once in a run, project = once in all runs of the project, off = each time'),
    devices: z.string().min(1).max(500).default('auto').describe('auto, cpu:2 (two CPU slots) or gpu:0,1 (these GPUs)'),
    max_devices: positive(1000)
      .nullable()
      .default(null)
      .describe('devices that the run uses at a time, at most, so that other runs have the rest; null = all'),
    budget: Budget.prefault({}),
    server: Server.prefault({}),
    report: ReportSection.prefault({}),
  });

/** The configuration as it is written, after the keys without effect were taken out (domain/config-reading.ts). */
export const RunConfig = runConfig((usual, about) => Duration.prefault(usual).describe(about));
export type RunConfig = z.infer<typeof RunConfig>;

/** The configuration as a run keeps it in `run.json`: the same keys, durations as whole milliseconds (C2). */
export const ResolvedConfig = runConfig((usual, about) =>
  z
    .number()
    .int()
    .min(1)
    .prefault(parseDuration(usual) ?? 0)
    .describe(about),
);
