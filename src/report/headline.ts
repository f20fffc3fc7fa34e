import type { MetricSpec } from '../domain/metric.ts';
import type { BestNode, Estimate, FailureCount, ReportModel, StageReport } from './schema.ts';
import { countText, numberText, rangeText, titleText } from './words.ts';

/** The three sentences a stranger reads first: what was found, how sure that is, what failed. */
export function headline(metric: MetricSpec, best: BestNode | null, stages: readonly StageReport[]): ReportModel['headline'] {
  return {
    found: best === null ? `No good node: nothing was found that has a value of ${metric.name}.` : foundText(metric, best),
    sure: best === null ? 'There is nothing to be sure of.' : sureText(best, stages),
    failed: failedText(stages),
  };
}

/** `0.9722 (95 % interval 0.9655 to 0.9789, n = 3 fresh seeds)`, or that there is no such number. */
export function estimateText(estimate: Estimate): string {
  const { n, mean, low, high } = estimate;
  if (mean === null) return 'not replicated';
  const interval = low === null || high === null ? 'no interval' : `95 % interval ${rangeText(low, high)}`;
  return `${numberText(mean)} (${interval}, n = ${n} fresh ${n === 1 ? 'seed' : 'seeds'})`;
}

function foundText(metric: MetricSpec, best: BestNode): string {
  const { mean, n } = best.estimate;
  const better = metric.direction === 'maximize' ? 'higher is better' : 'lower is better';
  const over =
    best.datasets.length === 1 ? `on ${best.datasets.join()}` : `${metric.aggregation} over ${best.datasets.join(', ')}`;
  const seeds = mean === null ? 'on the search seed alone' : `averaged over ${countText(n, 'fresh seed')}`;
  return `${best.node} (${best.label}) is the best program: ${metric.name} ${numberText(mean ?? best.metric)}, ${over}, ${seeds} (${better}).`;
}

function sureText(best: BestNode, stages: readonly StageReport[]): string {
  const { estimate } = best;
  const numbers =
    estimate.n < 2
      ? `Not replicated: the value comes from ${estimate.n === 0 ? 'the seed that chose the program' : 'one fresh seed'}, so how much of it is luck is unknown.`
      : `${intervalText(estimate)} over ${estimate.n} fresh seeds; the seed that chose it gave ${numberText(best.metric)}.`;
  const made = stages.find(({ name, best: winner }) => name === best.madeIn && winner?.node === best.node);
  const against = made?.best?.againstCarried;
  return against === null || against === undefined
    ? numbers
    : `${numbers} Against ${against.node}, which ${titleText(best.madeIn).toLowerCase()} started from: ${against.text}.`;
}

function intervalText({ low, high }: Estimate): string {
  return low === null || high === null ? 'No interval' : `95 % interval ${rangeText(low, high)}`;
}

function failedText(stages: readonly StageReport[]): string {
  const nodes = stages.reduce((sum, { counts }) => sum + counts.nodes, 0);
  const failures = stages.flatMap((stage) => stage.failures);
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const missing = stages.filter(({ state }) => state === 'not_started').map(({ name }) => titleText(name).toLowerCase());
  const first =
    nodes === 0
      ? 'No node was made.'
      : `${failed === 0 ? 'None' : failed} of ${countText(nodes, 'node')} failed${reasonsText(failures)}.`;
  return missing.length === 0 ? first : `${first} Not run: ${missing.join(', ')}.`;
}

/** `: 2 exception, 1 timeout`; nothing where nothing failed. */
export function reasonsText(failures: readonly FailureCount[]): string {
  const counts = [...Map.groupBy(failures, ({ reason }) => reason)].map(
    ([reason, group]) => `${group.reduce((sum, { count }) => sum + count, 0)} ${reason}`,
  );
  return counts.length === 0 ? '' : `: ${counts.join(', ')}`;
}
