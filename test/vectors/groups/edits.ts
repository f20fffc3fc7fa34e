import { z } from 'zod';
import { contradictions, difference, sharedKeys } from '../../../src/domain/edits.ts';
import { applyEdit, type Edit, type Experiment } from '../../../src/domain/experiment.ts';
import { fusedOf, fusionOf, rankFusion, resolveConflicts, type Candidate, type Score } from '../reference/fusion.ts';
import { StalenessPolicy } from '../../../src/domain/run-plan.ts';
import { decideStaleness } from '../../../src/search/staleness.ts';
import { initialStall, isStalled, withForcedRefresh, withSweep } from '../reference/stall-guard.ts';
import { isAtLeast, lagOf } from '../reference/versions.ts';
import type { Runner } from './runner.ts';

const Ops = z.record(z.string(), z.string().nullable());
const State = z.record(z.string(), z.string());
const Diff = z.object({ diff_id: z.string(), ops: Ops, contract_breaking: z.boolean().default(false) });
const Diffs = z.object({ diffs: z.array(Diff.extend({ target: z.string() })).min(1) });
const Contest = z.object({
  base: State,
  diffs: z.tuple([Diff], Diff),
  tournament: z.boolean().default(false),
  scores_by_state: z.record(z.string(), z.number()),
  score_default: z.number(),
});
type Contest = z.infer<typeof Contest>;
const Decisions = z.object({ policy: StalenessPolicy, rows: z.array(z.tuple([z.number(), z.number(), z.boolean()])) });
const Versions = z.record(z.string(), z.number());

/** Edits: conflicts, unions and lag. */
export const EDITS: Readonly<Record<string, Runner>> = {
  diffs: (input) => {
    const { a, b } = z.object({ a: Ops, b: Ops }).parse(input);
    const [one, other] = [editOf(a), editOf(b)];
    return { overlap: sharedKeys(one, other).length > 0, contradict: contradictions(one, other).length > 0 };
  },
  fuse_diffs: (input) => {
    const { diffs } = Diffs.parse(input);
    const { id, edit, isBreaking } = fusedOf(diffs.map(candidateOf));
    // Who made an edit and of which artifact it is are no part of ours.
    const [target] = new Set(diffs.map((diff) => diff.target));
    return { diff_id: id, ops: edit.parameters, contract_breaking: isBreaking, author: 'aggregator', target };
  },
  'DefaultConflict.resolve': (input) => {
    const { contest, states, score } = scoring(input);
    const { kept, dropped } = resolveConflicts(experimentOf(contest.base), contest.diffs.map(candidateOf), score);
    return { kept: kept.map(({ id }) => id), dropped, states_scored: states };
  },
  'DefaultFusion.select': (input) => (Contest.parse(input).tournament ? tournament(input) : union(input)),
  'artifact.apply': (input) => {
    const { state, version, ops } = z.object({ state: State, version: z.number(), ops: Ops }).parse(input);
    // An experiment has no version: its content is its identity.
    return { state: applyEdit(experimentOf(state), editOf(ops)).parameters, version: version + 1 };
  },
  'artifact.diff': (input) => {
    const { from, to } = z.object({ from: State, to: State }).parse(input);
    return difference(experimentOf(from), experimentOf(to)).parameters;
  },
  'staleness.decide': (input) => {
    const named = z.object({ name: z.string() }).safeParse(input);
    if (named.success) return policyNamed(named.data.name);
    const { policy, rows } = Decisions.parse(input);
    return rows.map(([lag, tolerance, isBreaking]) => decideStaleness(policy, { lag, tolerance, isBreaking }));
  },
  vv: (input) => {
    const { head, base } = z.object({ head: Versions, base: Versions }).parse(input);
    return { eta: lagOf(head, base), head_dominates_base: isAtLeast(head, base) };
  },
  StallGuard: (input) => {
    const { patience, committed } = z.object({ patience: z.number(), committed: z.array(z.boolean()) }).parse(input);
    let state = initialStall();
    return committed.map((isTaken) => {
      state = withSweep(state, isTaken);
      const stalled = isStalled(state, patience);
      if (stalled) state = withForcedRefresh(state);
      return [stalled, state.forced];
    });
  },
};

function editOf(ops: z.infer<typeof Ops>): Edit {
  return { parameters: ops, files: {} };
}

function experimentOf(state: z.infer<typeof State>): Experiment {
  return { v: 1, parameters: state, files: {} };
}

function candidateOf({ diff_id: id, ops, contract_breaking: isBreaking }: z.infer<typeof Diff>): Candidate {
  return { id, edit: editOf(ops), isBreaking };
}

/** The contest of a case, and a score that notes in `states` what it was asked for. */
function scoring(input: unknown): { contest: Contest; states: string[]; score: Score } {
  const contest = Contest.parse(input);
  const states: string[] = [];
  const score: Score = ({ parameters }) => {
    const entries = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
    const state = entries.sort().join('|');
    states.push(state);
    return contest.scores_by_state[state] ?? contest.score_default;
  };
  return { contest, states, score };
}

function tournament(input: unknown): unknown {
  const { contest, states, score } = scoring(input);
  const [first, ...rest] = contest.diffs;
  const candidates = [candidateOf(first), ...rest.map(candidateOf)] as const;
  const base = experimentOf(contest.base);
  const { chosen, winner, bestSingle, baseline, fused } = rankFusion(base, candidates, score);
  const trial = { winner, reason: reasonText(fusionOf(candidates).reason), ranked: true, best_single: bestSingle, baseline };
  return {
    chosen: chosen.id,
    state: applyEdit(base, chosen.edit).parameters,
    fused: !candidates.includes(chosen),
    states_scored: states,
    trial: { n_candidates: candidates.length, ...trial, fused_score: fused },
  };
}

function union(input: unknown): unknown {
  const { contest, states } = scoring(input);
  const [first, ...rest] = contest.diffs;
  const candidates = [candidateOf(first), ...rest.map(candidateOf)] as const;
  const { chosen, reason } = fusionOf(candidates);
  // Without a tournament nothing is scored: the library reports zeros.
  const unscored = { ranked: false, best_single: 0, baseline: 0, fused_score: null };
  return {
    chosen: chosen.id,
    state: applyEdit(experimentOf(contest.base), chosen.edit).parameters,
    fused: reason === null,
    states_scored: states,
    trial: {
      n_candidates: candidates.length,
      winner: reason === null ? 'fused' : 'single',
      reason: reasonText(reason),
      ...unscored,
    },
  };
}

function reasonText(reason: string | null): string {
  return reason?.replaceAll('_', '-') ?? '';
}

/** A policy by its name, or the refusal of it, in the library's words. */
function policyNamed(name: string): unknown {
  const parsed = StalenessPolicy.safeParse(name);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code !== 'invalid_value') return issue;
  const condition = `name is not one of ${issue.values.join(', ')}`;
  return { error: { class: 'ValueError', is_a: ['ValueError', 'Exception'], condition } };
}
