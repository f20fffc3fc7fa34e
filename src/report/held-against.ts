import { gain, type Direction } from '../domain/metric.ts';
import { metricOf, type Node } from '../domain/node.ts';
import { compareSamples, predictionInterval, summarise, type Comparison, type Sample } from '../domain/statistics.ts';
import type { Replicas, RunRecords } from './read-journal.ts';
import type { Estimate, HeldAgainst } from './schema.ts';
import { countText, gainText, numberText, rangeText } from './words.ts';

/** Estimates of single nodes, and nodes held against each other, with the verdict in plain words (P7). */

/** A node as evaluated on some datasets. */
export interface Measured {
  readonly node: Node;
  readonly replicas: Replicas;
}

/** A node with its replicas over `datasets`. */
export function measured(records: RunRecords, node: Node, datasets: readonly string[]): Measured {
  return { node, replicas: records.replicasOf(node.id, datasets) };
}

/** The replicas of a node in figures. */
export function estimateOf(replicas: Replicas): Estimate {
  const values = [...replicas.values].map(([seed, value]) => ({ seed, value })).sort((a, b) => a.seed - b.seed);
  const { n, mean, deviation, interval } = summarise(values.map(({ value }) => value));
  return { n, failed: replicas.failed.size, values, mean, deviation, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** How `candidate` compares with `reference` on the same datasets. */
export function holdAgainst(direction: Direction, candidate: Measured, reference: Measured): HeldAgainst {
  const comparison = compareSamples(direction, candidate.replicas.values, reference.replicas.values);
  const spread = comparison.verdict === 'unknown' ? (spreadOf(candidate, reference) ?? spreadOf(reference, candidate)) : null;
  const facts = {
    ...comparison,
    node: reference.node.id,
    searchSeedGain: searchSeedGain(direction, candidate.node, reference.node),
    spread,
  };
  const text =
    comparison.verdict === 'unknown' ? unknownText(facts, candidate, reference) : verdictText(comparison, candidate, reference);
  return { ...facts, text };
}

/** Whether the only value of `single` is one that another seed of `replicated` could have given. */
function spreadOf(replicated: Measured, single: Measured): HeldAgainst['spread'] {
  const value = metricOf(single.node);
  const range = predictionInterval([...replicated.replicas.values.values()]);
  if (value === null || range === null || single.replicas.values.size > 1) return null;
  return value >= range.low && value <= range.high ? 'inside' : 'outside';
}

function searchSeedGain(direction: Direction, candidate: Node, reference: Node): number | null {
  const [a, b] = [metricOf(candidate), metricOf(reference)];
  const difference = a === null || b === null ? Number.NaN : gain(direction, a, b);
  return Number.isFinite(difference) ? difference : null;
}

function verdictText(comparison: Comparison, candidate: Measured, reference: Measured): string {
  const { gain: by, low, high, verdict, n, method } = comparison;
  if (by === null || low === null || high === null) return 'not known';
  const seeds = method === 'paired' ? countText(n, 'pair') + ' of seeds' : `at least ${n} seeds each`;
  const same =
    isConstant(candidate.replicas.values) && isConstant(reference.replicas.values) ? '; the seed made no difference' : '';
  const tail = `${seeds}${same}`;
  switch (verdict) {
    case 'better':
      return `better by ${numberText(by)} (95 % interval ${rangeText(low, high)}, ${tail})`;
    case 'worse':
      return `worse by ${numberText(-by)} (95 % interval ${rangeText(-high, -low)}, ${tail})`;
    case 'noise':
    case 'unknown':
      return `within the noise: ${gainText(by)}, 95 % interval of the gain ${rangeText(low, high)} (${tail})`;
  }
}

function unknownText(facts: Omit<HeldAgainst, 'text'>, candidate: Measured, reference: Measured): string {
  const alone = [candidate, reference].filter(({ replicas }) => replicas.values.size < 2).map(({ node }) => node.id);
  const on = facts.searchSeedGain === null ? 'no value to compare' : `${gainText(facts.searchSeedGain)} on the search seed alone`;
  const replicated = candidate.replicas.values.size > 1 ? candidate : reference;
  const seeds = `the seeds of ${replicated.node.id} (n = ${replicated.replicas.values.size})`;
  const spread = { inside: `; within what ${seeds} vary`, outside: `; more than ${seeds} vary` };
  return `not replicated (${alone.join(', ') || 'too few values'}): ${on}${facts.spread === null ? '' : spread[facts.spread]}`;
}

function isConstant(sample: Sample): boolean {
  return new Set(sample.values()).size === 1;
}
