import { DropReason } from '../domain/failure.ts';
import { noOutcomes, type Outcomes, type StageSummary } from '../domain/messages.ts';

/** The outcomes of several stages together. */
export function totalOutcomes(stages: readonly Pick<StageSummary, 'outcomes'>[]): Outcomes {
  return stages.reduce((sum, { outcomes }) => added(sum, outcomes), noOutcomes());
}

function added(a: Outcomes, b: Outcomes): Outcomes {
  const counts = DropReason.options.map((reason) => [reason, (a.dropped[reason] ?? 0) + (b.dropped[reason] ?? 0)] as const);
  return {
    dispatched: a.dispatched + b.dispatched,
    good: a.good + b.good,
    buggy: a.buggy + b.buggy,
    replicas: a.replicas + b.replicas,
    plots: a.plots + b.plots,
    badSignals: a.badSignals + b.badSignals,
    dropped: Object.fromEntries(counts.filter(([, count]) => count > 0)),
  };
}
