import type { EvaluationRecord } from './evaluation.ts';
import type { JournalEvent } from './journal.ts';
import { auditLedger, ledgerAttempts, type LedgerAttempt, type LedgerLine } from './ledger.ts';

/**
 * What the ledgers and the journal together say of a run: what was lost and what was done twice, whatever
 * happened to its processes.
 *
 * An attempt that died with its worker and was made again is neither lost nor doubled: nothing that was
 * finished is gone, and nothing was finished twice.
 */

/** An evaluation that was lost. */
export interface LostEvaluation {
  /**
   * unused = it finished on a device, and no event holds its result. unproven = an event holds a result that no
   * device finished. given_up = an event says that the platform gave it up.
   */
  readonly how: 'unused' | 'unproven' | 'given_up';
  readonly evaluation: string;
}

/** The proof of a run. */
export interface RunAudit {
  readonly started: number;
  readonly finished: number;
  readonly lost: readonly LostEvaluation[];
  /** Pairs of attempts of one evaluation that both finished, or were alive at once. */
  readonly doubled: readonly (readonly [LedgerAttempt, LedgerAttempt])[];
  /** Pairs of attempts that were alive at once on one device, one of them of this run. */
  readonly overlaps: readonly (readonly [LedgerAttempt, LedgerAttempt])[];
  /** Attempts not known to be dead. */
  readonly open: readonly LedgerAttempt[];
}

/**
 * Audits a run by the lines of all ledgers of its project, each device's in the order in which they were written.
 * Of a run that goes on, `isOver` false, a result without an event is not lost yet.
 */
export function auditRun(
  run: { runId: string; events: readonly JournalEvent[]; isOver: boolean },
  lines: readonly LedgerLine[],
): RunAudit {
  const { runId, events, isOver } = run;
  const ledger = auditLedger(lines);
  const attempts = ledgerAttempts(lines).filter((attempt) => attempt.run === runId);
  const finished = new Set(attempts.filter(({ outcome }) => outcome === 'finished').map(({ evaluation }) => evaluation));
  const records = events.flatMap(recordsOf);
  const held = new Set(records.map(({ result }) => result.evaluation));
  const unused = isOver ? [...finished].filter((evaluation) => !held.has(evaluation)) : [];
  return {
    started: attempts.length,
    finished: attempts.filter(({ outcome }) => outcome === 'finished').length,
    lost: [
      ...unused.map((evaluation) => ({ how: 'unused' as const, evaluation: String(evaluation) })),
      ...records.flatMap((record) => lostRecord(record, finished)),
    ],
    doubled: ledger.doubled.filter(([first]) => first.run === runId),
    overlaps: ledger.overlaps.filter((pair) => pair.some((attempt) => attempt.run === runId)),
    open: attempts.filter(({ deadAt }) => deadAt === null),
  };
}

function recordsOf(event: JournalEvent): readonly EvaluationRecord[] {
  return 'evaluations' in event ? event.evaluations : [];
}

/** A result from a cache was finished by another run, or long ago: this run's attempts do not show it. */
function lostRecord({ dataset, seed, result }: EvaluationRecord, finished: ReadonlySet<string>): LostEvaluation[] {
  const name = result.evaluation ?? `${dataset}, seed ${seed}`;
  if (result.status === 'failed' && result.reason === 'infrastructure') return [{ how: 'given_up', evaluation: name }];
  if (result.cached || result.evaluation === null || finished.has(result.evaluation)) return [];
  return [{ how: 'unproven', evaluation: name }];
}
