import type { RunConfig } from './config.ts';
import { AsyncOptions, SelectionOptions } from './run-plan.ts';

/**
 * Keys that were written but have no effect in the chosen combination, each named with the reason (P6).
 * Only written keys are looked at: a default without effect is nobody's mistake.
 */

interface IdleRule {
  /** Written keys that the rule is about. */
  readonly keys: readonly string[];
  readonly idle: (config: RunConfig, written: ReadonlySet<string>) => boolean;
  readonly because: (config: RunConfig) => string;
}

/** A number that is as usual is no wish. */
const USUAL_SELECTION = SelectionOptions.parse({});
const USUAL_ASYNC = AsyncOptions.parse({});

const stageLimits = ({ agent: { stages } }: RunConfig): number[] => [
  stages.stage1_max_iters,
  stages.stage2_max_iters,
  stages.stage3_max_iters,
  stages.stage4_max_iters,
];
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const STAGE_KEYS = [1, 2, 3, 4].map((stage) => `agent.stages.stage${stage}_max_iters`);
const patient = ({ agent: { stages } }: RunConfig): number => Math.max(stages.stage2_max_iters, stages.stage3_max_iters);

const IDLE: readonly IdleRule[] = [
  {
    keys: ['agent.num_workers'],
    idle: ({ agent }) => agent.type === 'sequential' && agent.num_workers > 1,
    because: () => 'agent.type: sequential means one worker',
  },
  {
    keys: ['agent.steps'],
    idle: (config, written) => config.agent.steps !== null && STAGE_KEYS.every((key) => written.has(key)),
    because: () => 'every stage has a limit of its own in agent.stages',
  },
  {
    keys: ['agent.search.debug_prob'],
    idle: ({ agent: { search } }) => search.max_debug_depth === 0 && search.debug_prob > 0,
    because: () => 'agent.search.max_debug_depth is 0',
  },
  {
    keys: ['agent.search.max_debug_depth'],
    idle: ({ agent: { search } }) => search.debug_prob === 0 && search.max_debug_depth > 0,
    because: () => 'agent.search.debug_prob is 0',
  },
  {
    keys: ['agent.multi_seed_eval.scope'],
    idle: ({ agent }) => agent.multi_seed_eval.num_seeds === 0,
    because: () => 'agent.multi_seed_eval.num_seeds is 0',
  },
  {
    keys: ['search.ablation_pairs'],
    idle: ({ agent, search }) => search.ablation_pairs && agent.stages.stage4_max_iters === 0,
    because: () => 'stage 4 is off (agent.stages.stage4_max_iters is 0)',
  },
  {
    keys: ['search.patience'],
    idle: (config) => config.search.patience !== null && config.search.patience >= patient(config),
    because: (config) => `stages 2 and 3 end after ${patient(config)} nodes at most`,
  },
  {
    keys: ['search.selection'],
    idle: ({ agent: { stages, search: tree }, search }) =>
      search.selection !== 'best' && stages.stage1_max_iters <= tree.num_drafts && stages.stage3_max_iters === 0,
    because: () => 'stage 3 is off, and stage 1 has room for drafts only, so that no node is improved',
  },
  {
    keys: ['search.exploration'],
    idle: ({ search }) =>
      search.exploration !== USUAL_SELECTION.exploration && search.selection !== 'puct' && search.selection !== 'uct',
    because: ({ search }) => `search.selection is ${search.selection}`,
  },
  {
    keys: ['search.beam_width'],
    idle: ({ search }) => search.beam_width !== USUAL_SELECTION.beamWidth && search.selection !== 'beam',
    because: ({ search }) => `search.selection is ${search.selection}`,
  },
  {
    keys: ['search.target'],
    idle: ({ agent: { stages }, search }) =>
      search.target !== null && stages.stage2_max_iters === 0 && stages.stage3_max_iters === 0,
    because: () => 'stages 2 and 3 are off',
  },
  {
    keys: ['search.good_nodes'],
    idle: ({ agent, search }) => search.good_nodes > agent.stages.stage1_max_iters,
    because: ({ agent }) => `stage 1 ends after ${agent.stages.stage1_max_iters} nodes at most`,
  },
  {
    keys: ['proposer.script'],
    idle: ({ proposer }) => proposer.script !== null && proposer.kind !== 'scripted',
    because: ({ proposer }) => `proposer.kind is ${proposer.kind}`,
  },
  {
    keys: ['proposer.window'],
    idle: ({ proposer }) => proposer.kind === 'scripted',
    because: () => 'a scripted proposer does not learn from the journal',
  },
  {
    keys: ['schedule'],
    idle: (config) => config.schedule === 'async' && workersOf(config) === 1,
    because: () => 'with one worker both schedules are the same',
  },
  {
    keys: ['async.staleness'],
    idle: (config) => config.schedule === 'barrier' && config.async.staleness !== USUAL_ASYNC.staleness,
    because: () => 'schedule is barrier, where nothing is stale',
  },
  {
    keys: ['async.tolerance'],
    idle: (config) =>
      config.async.tolerance !== USUAL_ASYNC.tolerance && (config.schedule === 'barrier' || config.async.staleness !== 'guarded'),
    because: ({ schedule, async }) =>
      schedule === 'barrier' ? 'schedule is barrier, where nothing is stale' : `async.staleness is ${async.staleness}`,
  },
  {
    keys: ['budget.nodes'],
    idle: (config) => config.budget.nodes !== null && config.budget.nodes >= sum(stageLimits(config)),
    because: (config) => `the limits of the stages add up to ${sum(stageLimits(config))} nodes`,
  },
];

/** The plan's worker slots as the config wants them; the devices may cap them (domain/resolve.ts). */
export function workersOf({ agent }: RunConfig): number {
  return agent.type === 'sequential' ? 1 : agent.num_workers;
}

/** A line for each written key without effect, and for each number that cannot be reached; `written` are dotted keys. */
export function configWarnings(config: RunConfig, written: ReadonlySet<string>): string[] {
  const idle = IDLE.flatMap((rule) => {
    const keys = rule.keys.filter((key) => written.has(key));
    return keys.length > 0 && rule.idle(config, written) ? [`${keys.join(', ')} has no effect: ${rule.because(config)}.`] : [];
  });
  return [...idle, ...unreachable(config)];
}

function unreachable({ agent, exec }: RunConfig): string[] {
  const lines: string[] = [];
  const drafts = agent.search.num_drafts;
  const room = agent.stages.stage1_max_iters;
  if (drafts > room)
    lines.push(
      `Only ${room} of the ${drafts} drafts (agent.search.num_drafts) fit into stage 1 (agent.stages.stage1_max_iters).`,
    );
  if (exec.grace > exec.timeout)
    lines.push('exec.grace is longer than exec.timeout: a program that ignores SIGTERM takes more than twice its time.');
  return lines;
}
