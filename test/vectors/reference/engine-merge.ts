import { applyEdit, editedKeys, type Experiment } from '../../../src/domain/experiment.ts';
import { decideStaleness } from '../../../src/search/staleness.ts';
import type { EngineInput } from './engine-input.ts';
import { fusionOf, resolveConflicts, type Candidate, type Score } from './fusion.ts';

/**
 * The merge step of a whole run: of all edits that came in, what the artifact becomes.
 *
 * Left out is what never decides in the runs of the vectors: size limits, audits, and how sure the library wants to be
 * that the measured gain is one. A run in which they might is refused, not guessed.
 */

/** The artifact at a version; the first is 1. */
export interface Artifact {
  readonly version: number;
  readonly content: Experiment;
}

/** An edit that was handed in. */
export interface Card extends Candidate {
  /** The version that it was made from. */
  readonly base: number;
  /** How good an artifact is at the task for which it was made. */
  readonly ownTask: Score;
}

/** Edits that wait for a merge, and the rounds for which they have. */
export interface Inbox {
  readonly cards: readonly Card[];
  readonly waited: number;
}

/** What a merge did, as the vectors write it. */
export interface MergeReport {
  readonly artifact: string;
  readonly category: 'committed';
  readonly considered: number;
  readonly survived: number;
  readonly discarded_stale: number;
  readonly conflicts_dropped: number;
  readonly fused: boolean;
  readonly committed_version: number;
  readonly diff_keys: readonly string[];
  readonly diff_id: string;
}

/** The artifact after a step, what still waits, and the reports: none while too few edits wait. */
export interface Merged {
  readonly head: Artifact;
  readonly inbox: Inbox;
  readonly reports: readonly MergeReport[];
}

type Rules = Pick<EngineInput, 'batch_trigger' | 'max_wait_rounds' | 'staleness_policy' | 'alpha_tail'>;

/** An inbox in which nothing waits. */
export const NOTHING_WAITS: Inbox = { cards: [], waited: 0 };

/** One step; `score` is the share of the held-out tasks that an artifact solves. */
export function mergeStep(head: Artifact, { cards, waited }: Inbox, { score, rules }: { score: Score; rules: Rules }): Merged {
  const ticked = { cards, waited: waited + 1 };
  const isReady = cards.length >= rules.batch_trigger || ticked.waited >= rules.max_wait_rounds;
  if (cards.length === 0 || !isReady) return { head, inbox: ticked, reports: [] };
  const fresh = cards.filter((card) => isKept(card, head, rules));
  const { kept, dropped } = resolveConflicts(head.content, fresh, score);
  const [first, ...rest] = kept;
  if (first === undefined) throw new RangeError('all edits are stale: no run of the vectors says what then');
  const { chosen, reason } = fusionOf([first, ...rest]);
  const content = applyEdit(head.content, chosen.edit);
  if (!(score(content) > score(head.content))) throw new RangeError(`${chosen.id} is no gain: no run of the vectors has one`);
  const next = { version: head.version + 1, content };
  const report: MergeReport = {
    artifact: 'artifact',
    category: 'committed',
    considered: cards.length,
    survived: fresh.length,
    discarded_stale: cards.length - fresh.length,
    conflicts_dropped: dropped,
    fused: reason === null,
    committed_version: next.version,
    diff_keys: editedKeys(chosen.edit),
    diff_id: chosen.id,
  };
  return { head: next, inbox: NOTHING_WAITS, reports: [report] };
}

/** Whether an edit may be applied to the head; one to be rebased, if the head is not worse with it at its own task. */
function isKept({ base, edit, isBreaking, ownTask }: Card, { version, content }: Artifact, rules: Rules): boolean {
  const stale = { lag: version - base, tolerance: rules.alpha_tail, isBreaking };
  const decision = decideStaleness(rules.staleness_policy, stale);
  if (decision === 'rebase') return ownTask(applyEdit(content, edit)) >= ownTask(content);
  return decision === 'accept';
}
