import { z } from 'zod';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import { nodeId, nodeNumber, type NodeId } from '../../../src/domain/ids.ts';
import { stopReason, withReward, type Progress } from '../reference/early-stop.ts';
import { lptSchedule } from '../reference/lpt.ts';
import { noveltyWeights } from '../../../src/search/selection/archive.ts';
import { beam } from '../../../src/search/selection/beam.ts';
import { bestOf } from '../../../src/search/selection/candidates.ts';
import { cladeCounts } from '../../../src/search/selection/clades.ts';
import { costAware } from '../reference/cost-aware.ts';
import { pareto, paretoFront, winFrequency } from '../../../src/search/selection/pareto.ts';
import { puct } from '../../../src/search/selection/puct.ts';
import { uct } from '../../../src/search/selection/uct.ts';
import type { Runner } from './runner.ts';

const Version = z.number().transform(nodeId);
const Candidates = z.array(
  z
    .strictObject({
      version: Version,
      score: z.number().nullable(),
      selected: z.number(),
      parent: Version.nullable(),
      per_task: z.record(z.string(), z.number()),
      prior: z.null(),
      cost: z.number().nullable(),
    })
    .transform(({ version: id, selected: visits, per_task: tasks, ...rest }) => ({ id, visits, tasks, ...rest })),
);

/** A call of a selection: what it chooses from, and the parameters by which the calls differ. */
const call = <P extends z.ZodRawShape>(params: P) =>
  z.strictObject({
    candidates: Candidates,
    head: z.number(),
    round: z.number(),
    n: z.number(),
    budget_remaining: z.number(),
    params: z.strictObject(params),
  });

const Puct = { c_puct: z.number(), prior_exponent: z.literal(0) };
const ParetoParams = { mode: z.literal('per_instance'), k: z.number(), seed: z.number() };
const ArchiveParams = { sampling: z.literal('best'), temperature: z.number(), seed: z.number() };

/** Each call by the shape of its input; no two share one. */
const CALLS: readonly Runner[] = [
  on(call({ k: z.number() }), ({ candidates, n, round, params: { k } }) => versions(beam(candidates, { n, round, width: k }))),
  on(call(Puct), ({ candidates, n, params }) => versions(puct(candidates, { n, c: params.c_puct }))),
  on(call({ exploration: z.number() }), ({ candidates, n, params }) => versions(uct(candidates, { n, c: params.exploration }))),
  on(
    call({ ...Puct, cost_exponent: z.number(), anneal: z.boolean() }),
    ({ candidates, n, budget_remaining: left, params: { c_puct: c, cost_exponent: exponent, anneal } }) =>
      versions(costAware(candidates, { n, c, exponent, remaining: anneal ? left : 1 })),
  ),
  on(call(ParetoParams), ({ candidates, n, round }) => {
    const scored = candidates.map(({ id, tasks: scores }) => ({ id, scores }));
    return versions(pareto(scored, { n, round }));
  }),
  on(call(ArchiveParams), ({ candidates, n }) => {
    const best = bestOf(candidates);
    return versions(Array.from({ length: n }, () => best?.id ?? []).flat());
  }),
  on(z.strictObject({ candidates: Candidates, tasks: z.array(z.string()) }), ({ candidates, tasks }) => {
    const rows = candidates.map((candidate) => tasks.map((task) => candidate.tasks[task] ?? -Infinity));
    return paretoFront(rows).flatMap((place) => versions(candidates.slice(place, place + 1).map(({ id }) => id)));
  }),
  on(z.strictObject({ scores: z.array(z.array(z.number())) }), ({ scores }) => {
    const wins = winFrequency(scores);
    return { kept: [...wins.keys()], frequency: Object.fromEntries(wins) };
  }),
  on(z.strictObject({ scores: z.array(z.number()), children: z.array(z.number()) }), ({ scores, children }) =>
    noveltyWeights(scores.map((score, place) => ({ score, children: children[place] ?? 0 }))),
  ),
  on(z.strictObject({ candidates: Candidates }), ({ candidates }) =>
    cladeCounts(candidates).map(({ successes, failures }) => [successes, failures]),
  ),
  on(z.strictObject({ k: z.number() }), ({ k: width }) => refusalOf(() => beam([], { n: 1, round: 0, width }))),
  on(z.strictObject({ mode: z.literal('per_instance') }), () =>
    refusalOf(() => pareto([{ id: nodeId(1), scores: {} }], { n: 1, round: 0 })),
  ),
];

const Rewards = z.strictObject({
  target_reward: z.number().nullable(),
  patience: z.number().nullable(),
  rewards: z.array(z.number()),
});
const Weights = z.strictObject({ weights: z.array(z.number()), n_workers: z.number() });

/** Which node to expand next, when to stop, and work dealt by its weight. */
export const SELECTION: Readonly<Record<string, Runner>> = {
  selection: (input) => {
    const results = CALLS.map((run) => run(input)).filter((result) => result !== undefined);
    if (results.length !== 1) throw new TypeError(`${results.length} calls have an input like this`);
    return results[0];
  },
  EarlyStop: (input) => {
    const { target_reward: target, patience, rewards } = Rewards.parse(input);
    let progress: Progress = { best: null, stale: 0 };
    return rewards.map((reward) => {
      progress = withReward(progress, reward);
      const reason = stopReason(progress, { target, patience });
      return [reason === 'target' ? 'target_reward' : reason, progress.best, progress.stale];
    });
  },
  lpt_schedule: (input) => {
    const { weights, n_workers: workers } = Weights.parse(input);
    const { assignment, makespan, dealtMakespan } = lptSchedule(weights, workers);
    return { assignment, makespan, fifo_makespan: dealtMakespan };
  },
};

/** Runs a call on inputs of its shape; `undefined` for any other. */
function on<T>(shape: z.ZodType<T>, run: (input: T) => unknown): Runner {
  return (input) => {
    const parsed = shape.safeParse(input);
    return parsed.success ? run(parsed.data) : undefined;
  };
}

function versions(ids: readonly NodeId[]): number[] {
  return ids.map(nodeNumber);
}

/** The library's words for what is refused here. */
const CONDITIONS: Readonly<Record<string, string>> = {
  'a beam is not 0 wide': 'beam width is not an integer of at least 1',
  'no candidate has scores of single tasks': 'candidates carry no per-task scores',
};

function refusalOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.type !== 'ConfigInvalid') throw error;
    const condition = CONDITIONS[error.message] ?? error.message;
    return { error: { class: 'ValueError', is_a: ['ValueError', 'Exception'], condition } };
  }
}
