import { REASON_TEXT } from '../domain/failure.ts';
import { metricOf, type Node } from '../domain/node.ts';
import { estimateOf, holdAgainst, measured } from './held-against.ts';
import { stageNodes, type RunRecords, type StageRecords } from './read-journal.ts';
import type { Ablation, HeldAgainst } from './schema.ts';
import { numberText, rangeText } from './words.ts';

/**
 * The ablation table: what the metric becomes without each component. One row per ablation; where the
 * ablated program had to be repaired, its repaired form counts (debug keeps the component's name).
 */
export function ablations(records: RunRecords, stage: StageRecords): Ablation[] {
  const own = stage.nodes.map(({ node }) => node);
  const rows = own
    .filter(({ operator }) => operator === 'ablate')
    .map((start) => ablationOf(records, stage, { start, end: repaired(start, own) }));
  return rows.sort((a, b) => weight(a) - weight(b));
}

function ablationOf(records: RunRecords, stage: StageRecords, { start, end }: { start: Node; end: Node }): Ablation {
  const { datasets } = stage.definition;
  const reference = stageNodes(stage).find(({ id }) => id === start.parent);
  const candidate = measured(records, end, datasets);
  const comparable = end.status === 'good' && reference?.status === 'good';
  const against = comparable
    ? holdAgainst(records.run.plan.metric.direction, candidate, measured(records, reference, datasets))
    : null;
  return {
    node: end.id,
    component: start.label,
    metric: metricOf(end),
    estimate: estimateOf(candidate.replicas),
    against,
    failure: end.status === 'buggy' ? end.reason : null,
    meaning: end.status === 'buggy' ? `the program fails without it: ${REASON_TEXT[end.reason]}` : meaningOf(against),
  };
}

/** The first good node among an ablated node and the repairs that descend from it, else the last repair. */
function repaired(start: Node, own: readonly Node[]): Node {
  const family = new Set([start.id]);
  const chain = [start];
  for (const node of own) {
    if (node.operator !== 'debug' || node.parent === null || !family.has(node.parent)) continue;
    family.add(node.id);
    chain.push(node);
  }
  return chain.find(({ status }) => status === 'good') ?? chain.at(-1) ?? start;
}

function meaningOf(against: HeldAgainst | null): string {
  if (against === null) return 'nothing to compare it with';
  const { gain, low, high, verdict } = against;
  if (gain === null || low === null || high === null) return against.text;
  switch (verdict) {
    case 'worse':
      return `needed: without it worse by ${numberText(-gain)} (95 % interval ${rangeText(-high, -low)})`;
    case 'better':
      return `harmful: without it better by ${numberText(gain)} (95 % interval ${rangeText(low, high)})`;
    case 'noise':
    case 'unknown':
      return `no effect beyond the noise (95 % interval of the gain without it ${rangeText(low, high)})`;
  }
}

/** Sorts by what the component is worth, the most needed first and failures before all. */
function weight({ against, failure }: Ablation): number {
  if (failure !== null) return -Number.MAX_VALUE;
  return against?.gain ?? against?.searchSeedGain ?? Number.MAX_VALUE;
}
