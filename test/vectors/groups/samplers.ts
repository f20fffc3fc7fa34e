import { z } from 'zod';
import {
  noSamples,
  pick,
  taskStats,
  withDiscard,
  withPick,
  withTrial,
  type SamplerRule,
  type SamplerState,
} from '../../../src/strategies/samplers.ts';
import { orRangeError } from './range-errors.ts';
import type { Runner } from './runner.ts';

const keys = z.array(z.string());
const OnePick = z.object({ keys, round: z.number() });
const Picks = z.object({ keys, rounds: z.array(z.number()) });
const Sequence = z.object({
  keys,
  c: z.number(),
  pass_threshold: z.number().nullable(),
  picks: z.number(),
  reward_by_task_cycled_by_visit: z.record(z.string(), z.array(z.number())),
});
/** What is done is said in words only. */
const Replay = z.object({ temperature: z.number(), capped_at: z.literal(10) });

const EMPTY = { class: 'ValueError', is_a: ['ValueError', 'Exception'], condition: 'empty key list' };
const PASS_THRESHOLD = 0.999;
const C = 0.2;

/** Picks and tries tasks in turn. */
class Sampling {
  state: SamplerState = noSamples();
  private readonly rule: SamplerRule;
  private readonly tasks: readonly string[];

  constructor(rule: SamplerRule, tasks: readonly string[]) {
    this.rule = rule;
    this.tasks = tasks;
  }

  try(passes: (task: string) => boolean): string {
    const task = this.tasks[pick(this.rule, this.state, this.tasks)] ?? '';
    this.state = withTrial(withPick(this.state), task, passes(task));
    return task;
  }
}

function difficultySequence({ keys: tasks, c, picks, ...input }: z.infer<typeof Sequence>): object {
  const sampling = new Sampling({ by: 'difficulty', c, temperature: 0 }, tasks);
  const rewardOf = (task: string): number => {
    const rewards = input.reward_by_task_cycled_by_visit[task] ?? [];
    return rewards[taskStats(sampling.state, task).trials % rewards.length] ?? Number.NaN;
  };
  const made = Array.from({ length: picks }, () => {
    let reward = Number.NaN;
    const task = sampling.try((name) => {
      reward = rewardOf(name);
      return reward >= (input.pass_threshold ?? PASS_THRESHOLD);
    });
    return [task, reward];
  });
  const stats = tasks.map((task) => {
    const { passes, trials } = taskStats(sampling.state, task);
    return [task, [passes, trials]] as const;
  });
  return { picks: made, stats: Object.fromEntries(stats) };
}

/** Six picks of which t2 fails, four discards of t1, and four picks more. */
function replaySequence({ temperature }: z.infer<typeof Replay>): object {
  const tasks = ['t0', 't1', 't2'];
  const sampling = new Sampling({ by: 'difficulty', c: C, temperature }, tasks);
  const without: SamplerRule = { by: 'difficulty', c: C, temperature: 0 };
  const before = Array.from({ length: 6 }, () => sampling.try((task) => task !== 't2'));
  for (let left = 4; left > 0; left--) sampling.state = withDiscard(sampling.state, 't1');
  const after = Array.from({ length: 4 }, () => {
    const usual = tasks[pick(without, sampling.state, tasks)];
    const task = sampling.try(() => true);
    return { task, isAffected: task !== usual };
  });
  return {
    picks: [...before, ...after.map(({ task }) => task)],
    replay_affected: after.filter(({ isAffected }) => isAffected).length,
    settled: { t1: taskStats(sampling.state, 't1').discarded },
  };
}

function firstOf({ keys: tasks, round }: z.infer<typeof OnePick>, rule: SamplerRule): unknown {
  return orRangeError(() => tasks[pick(rule, { ...noSamples(), picks: round }, tasks)], EMPTY);
}

/** The samplers. */
export const SAMPLERS: Readonly<Record<string, Runner>> = {
  'RoundRobin.pick': (input) => {
    const several = Picks.safeParse(input);
    const one = (call: z.infer<typeof OnePick>): unknown => firstOf(call, { by: 'turn', turn: call.round });
    if (!several.success) return one(OnePick.parse(input));
    return several.data.rounds.map((round) => one({ keys: several.data.keys, round }));
  },
  DifficultyWeighted: (input) => difficultySequence(Sequence.parse(input)),
  'DifficultyWeighted.pick': (input) => firstOf(OnePick.parse(input), { by: 'difficulty', c: C, temperature: 0 }),
  ReplaySampler: (input) => replaySequence(Replay.parse(input)),
};
