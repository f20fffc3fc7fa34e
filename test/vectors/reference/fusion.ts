import { contradictions, isSameEdit, union } from '../../../src/domain/edits.ts';
import { byCodePoint } from '../../../src/domain/code-point.ts';
import { applyEdit, type Edit, type Experiment } from '../../../src/domain/experiment.ts';

/** Several edits of one base: which of them stay where they contradict each other, and whether they become one. */

/** One of the edits. */
export interface Candidate {
  readonly id: string;
  readonly edit: Edit;
  /** Whether what was made for the base may not fit what the edit makes of it. */
  readonly isBreaking: boolean;
}

/** How good an experiment is, higher is better. A function of the experiment alone. */
export type Score = (experiment: Experiment) => number;

/** What is left of several candidates. */
export interface Resolved {
  readonly kept: readonly Candidate[];
  /** Comparisons, each of which dropped one candidate. */
  readonly dropped: number;
}

/** At least one. */
export type Candidates = readonly [Candidate, ...Candidate[]];

/** Why several candidates do not become one. */
export type NoFusion = 'single_candidate' | 'contradiction' | 'nothing_to_fuse';

/** What goes forward of several candidates: their union, or the first of them and why. */
export interface Fusion {
  readonly chosen: Candidate;
  /** `null` where the union was chosen. */
  readonly reason: NoFusion | null;
}

/** The scores of a comparison of all candidates with their union and the base. */
export interface Ranking {
  readonly chosen: Candidate;
  readonly bestSingle: number;
  /** The score of the union; `null` where there is none. */
  readonly fused: number | null;
  readonly baseline: number;
  /** What was best; `neither` where nothing is better than the base. */
  readonly winner: 'single' | 'fused' | 'neither';
}

/**
 * The candidates without contradictions. They come in one after the other; a newcomer is compared with the first
 * kept one that it contradicts, stays only if its score is strictly better, and then meets the next of them.
 */
export function resolveConflicts(base: Experiment, candidates: readonly Candidate[], score: Score): Resolved {
  let resolved: Resolved = { kept: [], dropped: 0 };
  for (const candidate of candidates) resolved = withNewcomer(resolved, candidate, ({ edit }) => score(applyEdit(base, edit)));
  return resolved;
}

function withNewcomer(before: Resolved, newcomer: Candidate, score: (candidate: Candidate) => number): Resolved {
  const rival = before.kept.find(({ edit }) => contradictions(edit, newcomer.edit).length > 0);
  if (rival === undefined) return { ...before, kept: [...before.kept, newcomer] };
  const dropped = before.dropped + 1;
  if (!(score(newcomer) > score(rival))) return { ...before, dropped };
  return withNewcomer({ kept: before.kept.filter((kept) => kept !== rival), dropped }, newcomer, score);
}

/** The candidates as one, named after all of them; breaking if one is. */
export function fusedOf(candidates: readonly Candidate[]): Candidate {
  const ids = candidates.map(({ id }) => id).sort(byCodePoint);
  return {
    id: `fused(${ids.join('+')})`,
    edit: union(candidates.map(({ edit }) => edit)),
    isBreaking: candidates.some(({ isBreaking }) => isBreaking),
  };
}

/** The union of candidates where it is something new: more than one, none contradicting, and none that is all of it. */
export function fusionOf(candidates: Candidates): Fusion {
  const [first] = candidates;
  if (candidates.length === 1) return { chosen: first, reason: 'single_candidate' };
  if (candidates.some((candidate, at) => isContradicted(candidate, candidates.slice(at + 1))))
    return { chosen: first, reason: 'contradiction' };
  const fused = fusedOf(candidates);
  if (candidates.some(({ edit }) => isSameEdit(edit, fused.edit))) return { chosen: first, reason: 'nothing_to_fuse' };
  return { chosen: fused, reason: null };
}

function isContradicted({ edit }: Candidate, others: readonly Candidate[]): boolean {
  return others.some((other) => contradictions(edit, other.edit).length > 0);
}

/** Compares all candidates, their union and the base by score; of equals the earlier, and a single one before the union. */
export function rankFusion(base: Experiment, candidates: Candidates, score: Score): Ranking {
  const scored = (candidate: Candidate): Scored => ({ candidate, score: score(applyEdit(base, candidate.edit)) });
  const [first, ...rest] = candidates;
  const start = scored(first);
  const single = rest.map(scored).reduce(better, start);
  const { chosen, reason } = fusionOf(candidates);
  const fused = reason === null ? scored(chosen) : null;
  const baseline = score(base);
  const best = fused === null ? single : better(single, fused);
  return {
    chosen: best.candidate,
    bestSingle: single.score,
    fused: fused?.score ?? null,
    baseline,
    winner: winnerOf(best, { fused, baseline }),
  };
}

function winnerOf(best: Scored, { fused, baseline }: { fused: Scored | null; baseline: number }): Ranking['winner'] {
  if (best.score <= baseline) return 'neither';
  return best === fused ? 'fused' : 'single';
}

interface Scored {
  readonly candidate: Candidate;
  readonly score: number;
}

function better(one: Scored, other: Scored): Scored {
  return other.score > one.score ? other : one;
}
