import { z } from 'zod';
import { difficultyWeight, ucbScore } from './clusters/difficulty.ts';
import { modulo } from './shards.ts';

/**
 * Samplers: which task of a list comes next. Pure; what they learn is plain JSON. The semantics are those of
 * agentdescent's samplers.
 *
 * M1 At most `MAX_TASKS` tasks are kept; the one longest without a trial or a discard is forgotten first.
 */

const MAX_TASKS = 256;

/** Discards of a task that count at most, so that a task that is always discarded does not take over. */
const MAX_DISCARDS = 10;

/** What is known of a task. */
const TaskStats = z.strictObject({
  task: z.string(),
  trials: z.number().int().min(0),
  passes: z.number().int().min(0),
  /** How often work on it was dropped. */
  discarded: z.number().int().min(0),
});
type TaskStats = z.infer<typeof TaskStats>;

/** What a sampler has learned. */
export const SamplerState = z.strictObject({
  picks: z.number().int().min(0),
  /** Least recently changed first. */
  tasks: z.array(TaskStats).max(MAX_TASKS),
});
export type SamplerState = z.infer<typeof SamplerState>;

/** How a sampler chooses: in turn, learning nothing, or by what is to be learned from a task. */
export type SamplerRule =
  | { readonly by: 'turn'; readonly turn: number }
  | {
      readonly by: 'difficulty';
      /** The weight of what is not known. */
      readonly c: number;
      /** What each discard of a task adds to its score. */
      readonly temperature: number;
    };

/** Nothing was picked yet. */
export function noSamples(): SamplerState {
  return { picks: 0, tasks: [] };
}

/**
 * The position of the task to do next. By turn: position `turn` and around again. By difficulty: the highest bound of
 * its difficulty weight, and of equal ones the first; a task without a trial before all others.
 *
 * @throws RangeError for an empty list
 */
export function pick(rule: SamplerRule, state: SamplerState, tasks: readonly string[]): number {
  if (tasks.length === 0) throw new RangeError('there is no task to pick from');
  if (rule.by === 'turn') return modulo(rule.turn, tasks.length);
  const scores = tasks.map((task) => scoreOf(rule, state, task));
  return scores.reduce((best, score, at) => (score > (scores[best] ?? score) ? at : best), 0);
}

/** After a pick. */
export function withPick(state: SamplerState): SamplerState {
  return { ...state, picks: state.picks + 1 };
}

/** After a trial of a task. */
export function withTrial(state: SamplerState, task: string, passed: boolean): SamplerState {
  const stats = taskStats(state, task);
  return withStats(state, { ...stats, trials: stats.trials + 1, passes: stats.passes + (passed ? 1 : 0) });
}

/** After work on a task was dropped. */
export function withDiscard(state: SamplerState, task: string): SamplerState {
  const stats = taskStats(state, task);
  return withStats(state, { ...stats, discarded: stats.discarded + 1 });
}

/** What is known of a task. */
export function taskStats({ tasks }: SamplerState, task: string): TaskStats {
  return tasks.find((stats) => stats.task === task) ?? { task, trials: 0, passes: 0, discarded: 0 };
}

function withStats(state: SamplerState, stats: TaskStats): SamplerState {
  const others = state.tasks.filter(({ task }) => task !== stats.task);
  return { ...state, tasks: [...others, stats].slice(-MAX_TASKS) };
}

function scoreOf({ c, temperature }: Extract<SamplerRule, { by: 'difficulty' }>, state: SamplerState, task: string): number {
  const { trials, passes, discarded } = taskStats(state, task);
  const value = trials === 0 ? 0 : difficultyWeight(passes / trials);
  // The reference counts this pick before it scores, and adds one, so that the logarithm is never 0.
  const total = state.picks + 2;
  return ucbScore({ value, trials, total, c }) + temperature * Math.min(MAX_DISCARDS, discarded);
}
