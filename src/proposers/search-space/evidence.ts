import type { FailureReason } from '../../domain/failure.ts';
import type { ParameterValue } from '../../domain/experiment.ts';
import { aggregate } from '../../domain/metric.ts';
import type { PastNode } from '../../domain/proposal.ts';
import type { Random } from '../../domain/random.ts';
import { activeKeys } from '../../domain/task.ts';
import type { ProposalContext } from '../proposer.ts';
import { differingKeys, distance, identity, valuesOf, type Point } from './space.ts';

/**
 * What the journal says about a value of one key.
 *
 * E1 Only nodes are compared that were measured on the parent's datasets; of a node that was measured on more,
 *    only those count.
 * E2 A candidate that broke counts as the worst value seen; one that the platform or a person ended says nothing.
 * E3 A node speaks for a point the less, the more other keys differ: half as much for each.
 */

/** A point with its value, higher is better whatever the direction of the metric. */
interface Observation {
  readonly point: Point;
  readonly value: number;
}

/** Width of the neighbourhood that a measured value speaks for, as a share of the key's range. */
const WIDTH = 0.12;
/** Weight of the belief that a value without evidence is as good as the parent, in nodes. */
const PRIOR = 0.5;
/** What an untried region is worth, in standard deviations of the values seen; bench/search-space.ts shows its effect. */
const CURIOSITY = 0.5;

const NO_EVIDENCE: ReadonlySet<FailureReason> = new Set([
  'proposal_malformed',
  'cancelled',
  'pruned',
  'poison',
  'infrastructure',
]);

/** The observations that count for a parent, in the order of the journal. */
function observationsOf(context: ProposalContext): Observation[] {
  const datasets = referenceDatasets(context);
  const measured = context.past.flatMap((node) => {
    const value = valueOn(context, node, datasets);
    return value === null ? [] : [{ point: node.parameters, value }];
  });
  const least = measured.reduce((lowest, { value }) => Math.min(lowest, value), measured[0]?.value ?? 0);
  const broken = context.past.filter((node) => node.failure !== null && !NO_EVIDENCE.has(node.failure.reason));
  return [...measured, ...broken.map((node) => ({ point: node.parameters, value: least }))];
}

/** The identities of the points that need no second try: measured on the parent's datasets, or broken. */
export function triedPoints(context: ProposalContext): Set<string> {
  const datasets = referenceDatasets(context);
  const tried = context.past.filter((node) => node.failure !== null || valueOn(context, node, datasets) !== null);
  return new Set(tried.map((node) => identity(context.task, node.parameters)));
}

/**
 * Ranks the values of a key at a point, most promising first; the point's own value is left out. Promise is
 * the mean of what was seen nearby (a Gaussian kernel along the key's range, shrunk to the parent's value
 * where little was seen) plus a bonus that grows with the distance to the nearest value tried: a
 * one-dimensional relative of upper confidence bounds. A draw settles equals.
 */
export function rankedValues(
  context: ProposalContext,
  subject: { readonly key: string; readonly point: Point },
  draw: Random,
): ParameterValue[] {
  const { key, point } = subject;
  const related = observationsOf(context).filter(({ point: seen }) => activeKeys(context.task, seen).includes(key));
  const promise = promiseOf(context, subject, related);
  const values = draw.shuffle(valuesOf(context.task, key)).filter((value) => value !== point[key]);
  const scored = values.map((value) => ({ value, score: promise(value) }));
  return scored.sort((a, b) => b.score - a.score).map(({ value }) => value);
}

function promiseOf(
  context: ProposalContext,
  { key, point }: { readonly key: string; readonly point: Point },
  related: readonly Observation[],
): (value: ParameterValue) => number {
  const own = related.find(({ point: seen }) => identity(context.task, seen) === identity(context.task, point));
  const centre = own?.value ?? mean(related.map(({ value }) => value));
  const spread = deviation(related.map(({ value }) => value)) || 1;
  const weighed = related.map((seen) => {
    const others = differingKeys(context.task, seen.point, point).filter((other) => other !== key);
    return { at: seen.point[key], gain: (seen.value - centre) / spread, weight: 0.5 ** others.length };
  });
  return (value) => {
    let [sum, mass, nearest] = [0, PRIOR, 1];
    for (const { at, gain, weight } of weighed) {
      const apart = distance(context.task, key, at, value);
      const share = weight * Math.exp(-0.5 * (apart / WIDTH) ** 2);
      [sum, mass] = [sum + share * gain, mass + share];
      if (weight >= 0.25) nearest = Math.min(nearest, apart);
    }
    return sum / mass + CURIOSITY * Math.min(1, nearest / (2 * WIDTH));
  };
}

/** The datasets of the parent, or of the latest node that was measured where the parent was not. */
function referenceDatasets({ parent, past }: ProposalContext): string[] {
  const reference = [...past, ...(parent === null ? [] : [parent])].findLast((node) => node.metric !== null);
  return Object.keys(reference?.scores ?? {});
}

function valueOn({ metric }: ProposalContext, node: PastNode, datasets: readonly string[]): number | null {
  if (node.metric === null || datasets.length === 0) return null;
  const values = datasets.flatMap((dataset) => node.scores[dataset] ?? []);
  const value = values.length < datasets.length ? null : aggregate(metric.aggregation, values);
  return value === null || metric.direction === 'maximize' ? value : -value;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}
