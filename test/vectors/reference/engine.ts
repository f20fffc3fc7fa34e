import type { Edit, Experiment } from '../../../src/domain/experiment.ts';
import { hash64 } from '../../../src/strategies/sections/key-hash.ts';
import { modulo } from '../../../src/strategies/shards.ts';
import type { WorkUnit } from '../../../src/strategies/strategy.ts';
import type { EngineInput } from './engine-input.ts';
import { mergeStep, NOTHING_WAITS, type Artifact, type Inbox, type Card, type MergeReport } from './engine-merge.ts';
import { plannerOf, type Planner } from './engine-plans.ts';

/**
 * Whole runs of the reference, pure. An artifact holds one rule for each category; a task is solved by an artifact with
 * a rule for its category, and a worker that fails one proposes that rule. In a round each worker does one task of its
 * unit; then all edits that were handed in become one.
 *
 * An edit that changes nothing never comes up: who has the rule already has solved the task.
 */

/** What became of one task, as the vectors write it. */
export interface Rollout {
  readonly worker: number;
  readonly task: string;
  readonly score: number;
  readonly proposed_key: string | null;
  readonly end: 'solved' | 'delivered' | 'section-violation';
}

/** A round, and the artifact after it. */
export interface Round {
  readonly units: readonly WorkUnit[];
  readonly rollouts: readonly Rollout[];
  readonly merges: readonly MergeReport[];
  /** The share of the held-out tasks that the artifact solves. */
  readonly reward: number;
  readonly artifact: Experiment;
}

/** A run that has ended. */
export interface Trace {
  readonly rounds: readonly Round[];
  readonly stopReason: StopReason;
  /** What the strategy learned; `null` where it learns nothing. */
  readonly learned: object[] | null;
}

type StopReason = 'rounds' | 'target_reward' | 'max_rollouts';

/** What goes on from round to round. */
interface Run {
  readonly head: Artifact;
  /** The artifact that each worker has. */
  readonly snapshots: readonly Artifact[];
  readonly inbox: Inbox;
  readonly rounds: readonly Round[];
}

/** Runs to the end. */
export function traceOf(input: EngineInput): Trace {
  const planner = plannerOf(input);
  const head: Artifact = { version: 1, content: { v: 1, parameters: {}, files: {} } };
  const snapshots = Array.from({ length: input.n_workers }, () => head);
  let run: Run = { head, snapshots, inbox: NOTHING_WAITS, rounds: [] };
  for (;;) {
    run = withRound(run, input, planner);
    const stopReason = stopReasonOf(run, input);
    if (stopReason !== null) return { rounds: run.rounds, stopReason, learned: planner.learned?.() ?? null };
  }
}

function withRound(run: Run, input: EngineInput, planner: Planner): Run {
  const round = run.rounds.length;
  const { train, heldOut } = splitTasks(input);
  const snapshots = run.snapshots.map((snapshot, worker) => (isRefreshed(worker, round, input) ? run.head : snapshot));
  const units = planner.plan(round, train);
  const done = units.flatMap((unit) => {
    const task = unit.keys[modulo(round, Math.max(1, unit.keys.length))];
    if (task === undefined) return [];
    const one = rollout(task, unit, { input, snapshot: snapshots[unit.worker] ?? run.head });
    planner.observe?.(task, one.rollout.score);
    return [one];
  });
  const score = (artifact: Experiment): number => shareSolved(artifact, heldOut, input);
  const cards = [...run.inbox.cards, ...done.flatMap(({ card }) => card ?? [])];
  const merged = mergeStep(run.head, { ...run.inbox, cards }, { score, rules: input });
  const { content: artifact } = merged.head;
  const rollouts = done.map((one) => one.rollout);
  const ended: Round = { units, rollouts, merges: merged.reports, reward: score(artifact), artifact };
  return { head: merged.head, snapshots, inbox: merged.inbox, rounds: [...run.rounds, ended] };
}

/** One task with the worker's own artifact; an edit outside of the worker's section is not handed in. */
function rollout(
  task: string,
  { worker, mayChange }: WorkUnit,
  { input, snapshot }: { input: EngineInput; snapshot: Artifact },
): { rollout: Rollout; card: Card | null } {
  const score = shareSolved(snapshot.content, [task], input);
  if (score === 1) return { rollout: { worker, task, score, proposed_key: null, end: 'solved' }, card: null };
  const key = categoryOf(task, input);
  const isStray = mayChange?.includes(key) === false;
  const end = isStray ? 'section-violation' : 'delivered';
  const card: Card = {
    id: `w${worker}:${key}:${snapshot.version}`,
    edit: ruleFor(task, input),
    isBreaking: false,
    base: snapshot.version,
    ownTask: (artifact) => shareSolved(artifact, [task], input),
  };
  return { rollout: { worker, task, score, proposed_key: key, end }, card: isStray ? null : card };
}

function ruleFor(task: string, input: EngineInput): Edit {
  const category = categoryOf(task, input);
  const rule = input.proposed_value === 'values differ per task' ? `rule from ${task}` : `rule for ${category}`;
  return { parameters: { [category]: rule }, files: {} };
}

function shareSolved({ parameters }: Experiment, tasks: readonly string[], input: EngineInput): number {
  return tasks.filter((task) => Object.hasOwn(parameters, categoryOf(task, input))).length / tasks.length;
}

function categoryOf(task: string, { category_of_task: categories }: EngineInput): string {
  const category = categories[task];
  if (category === undefined) throw new RangeError(`the task ${task} has no category`);
  return category;
}

/** The last of the tasks are held out; half a task counts as one. */
function splitTasks({ task_ids: tasks, held_out_frac: share }: EngineInput): { train: string[]; heldOut: string[] } {
  const count = tasks.length - Math.round(share * tasks.length);
  return { train: tasks.slice(0, count), heldOut: tasks.slice(count) };
}

/** Whether a worker takes the newest artifact; with an interval above 1 the workers do by turns, in the order of a hash. */
function isRefreshed(worker: number, round: number, { refresh_interval: interval }: EngineInput): boolean {
  return modulo(round, interval) === Number(hash64(String(worker)) % BigInt(interval));
}

/** Why there is no further round; `null` while there is. The rollouts of a run are counted at its barriers only. */
function stopReasonOf({ rounds }: Run, input: EngineInput): StopReason | null {
  const { target_reward: target, max_rollouts: most } = input;
  if (target !== null && (rounds.at(-1)?.reward ?? 0) >= target) return 'target_reward';
  if (rounds.length >= input.rounds) return 'rounds';
  const done = rounds.flatMap(({ rollouts }) => rollouts).length;
  return most !== null && done >= most ? 'max_rollouts' : null;
}
