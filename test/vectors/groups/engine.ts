import { z } from 'zod';
import { EngineInput, type EngineStrategy } from '../reference/engine-input.ts';
import { traceOf, type Rollout, type Round, type Trace } from '../reference/engine.ts';
import type { Runner } from './runner.ts';

/** The table of the library's own example: a row for each strategy, with these columns of the run's summary. */
const Table = z.strictObject({
  n_tasks: z.number(),
  categories: z.array(z.string()).min(1),
  n_workers: z.number(),
  rounds: z.number(),
  max_concurrency: z.number(),
  columns: z.array(z.string()),
});
type Table = z.infer<typeof Table>;

/** What of the example its table does not say. */
const EXAMPLE = {
  held_out_frac: 0.4,
  self_verify: false,
  batch_trigger: 2,
  max_wait_rounds: 1,
  alpha_tail: 1,
  proposed_value: 'rule for <category>',
};

/** Whole runs. */
export const ENGINE: Readonly<Record<string, Runner>> = {
  engine: (input) => {
    const table = Table.safeParse(input);
    return table.success ? exampleRows(table.data) : wholeRun(EngineInput.parse(input));
  },
};

function wholeRun(input: EngineInput): object {
  const trace = traceOf(input);
  return {
    summary: summaryOf(trace),
    // With more units at once the order within a round is no part of the reference.
    ...(input.max_concurrency === 1 ? { rounds: trace.rounds.map(roundRecord) } : {}),
    ...(trace.learned === null ? {} : { clusters: trace.learned }),
  };
}

function summaryOf({ rounds, stopReason }: Trace): Record<string, unknown> {
  const rollouts = rounds.flatMap((round) => round.rollouts);
  const last = rounds.at(-1);
  const state = last?.artifact.parameters ?? {};
  return {
    proposed: rollouts.filter(({ proposed_key: key }) => key !== null).length,
    delivered: ended(rollouts, 'delivered'),
    out_of_section: ended(rollouts, 'section-violation'),
    keys: Object.keys(state).length,
    reward: last?.reward ?? 0,
    rollouts: rollouts.length,
    outcomes: outcomesOf(rounds),
    state,
    stop_reason: stopReason,
    rounds_recorded: rounds.length,
  };
}

function roundRecord(round: Round, index: number): object {
  const { units, rollouts, merges, reward, artifact } = round;
  const outcomes = outcomesOf([round]);
  const committed = outcomes['committed'] ?? 0;
  return {
    round: index,
    units: units.map(({ worker, keys, stage, section }) => ({ worker, keys, stage, section })),
    rollouts,
    merges,
    held_out_reward: reward,
    artifact_keys: Object.keys(artifact.parameters).length,
    committed,
    rejected: merges.length - committed,
    outcomes,
    considered: sum(merges.map(({ considered }) => considered)),
    discarded_stale: sum(merges.map(({ discarded_stale: discarded }) => discarded)),
    conflicts_dropped: sum(merges.map(({ conflicts_dropped: dropped }) => dropped)),
    fused: merges.filter(({ fused }) => fused).length,
  };
}

/** How many merges ended how, and how many edits were not handed in; what did not happen is not listed. */
function outcomesOf(rounds: readonly Round[]): Record<string, number> {
  const categories = rounds.flatMap(({ merges }) => merges.map(({ category }) => category));
  const strays = ended(
    rounds.flatMap(({ rollouts }) => rollouts),
    'section-violation',
  );
  return {
    ...(categories.length === 0 ? {} : { committed: categories.length }),
    ...(strays === 0 ? {} : { 'section-violation': strays }),
  };
}

function ended(rollouts: readonly Rollout[], end: Rollout['end']): number {
  return rollouts.filter((rollout) => rollout.end === end).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The four runs of the example; its task i is of category i, and around again. */
function exampleRows({ n_tasks: count, categories, columns, ...size }: Table): unknown[][] {
  const tasks = Array.from({ length: count }, (_, index) => `t${index}`);
  const strategies: readonly (readonly [string, EngineStrategy])[] = [
    ['DataParallel()', { name: 'DP' }],
    ['BlockParallel() custom', { name: 'block', rule: 'contiguous blocks of ceil(n/workers)' }],
    ['TensorParallel(4, keys)', { name: 'TP', n_sections: 4, keys: categories, route: false }],
    ['TensorParallel(4, keys, route)', { name: 'TP', n_sections: 4, keys: categories, route: 'category_of_task' }],
  ];
  return strategies.map(([label, strategy]) => {
    const input = EngineInput.parse({
      ...EXAMPLE,
      ...size,
      task_ids: tasks,
      category_of_task: Object.fromEntries(tasks.map((task, index) => [task, categories[index % categories.length]])),
      artifact_keys_declared: categories,
      strategy,
    });
    const row: Record<string, unknown> = { strategy: label, ...summaryOf(traceOf(input)) };
    return columns.map((column) => row[column]);
  });
}
