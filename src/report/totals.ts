import { DropReason, FailureReason } from '../domain/failure.ts';
import { noOutcomes, type Outcomes, type StageSummary } from '../domain/messages.ts';

/** The outcomes of several stages together. */
export function totalOutcomes(stages: readonly Pick<StageSummary, 'outcomes'>[]): Outcomes {
  return stages.reduce((sum, { outcomes }) => added(sum, outcomes), noOutcomes());
}

function added(a: Outcomes, b: Outcomes): Outcomes {
  return {
    dispatched: a.dispatched + b.dispatched,
    good: a.good + b.good,
    buggy: a.buggy + b.buggy,
    replicas: a.replicas + b.replicas,
    plots: a.plots + b.plots,
    committed: a.committed + b.committed,
    cached: a.cached + b.cached,
    badSignals: a.badSignals + b.badSignals,
    dropped: addedCounts(DropReason.options, a.dropped, b.dropped),
    reasons: addedCounts(FailureReason.options, a.reasons, b.reasons),
  };
}

type Counts<K extends string> = Partial<Record<K, number>>;

function addedCounts<K extends string>(keys: readonly K[], a: Counts<K>, b: Counts<K>): Counts<K> {
  const counts: Counts<K> = {};
  for (const key of keys) {
    const count = (a[key] ?? 0) + (b[key] ?? 0);
    if (count > 0) counts[key] = count;
  }
  return counts;
}
