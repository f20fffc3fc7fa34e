import { assertNever } from '../../domain/failure.ts';
import type { NodeId } from '../../domain/ids.ts';
import type { NodeItem } from '../../domain/item.ts';
import { randomStream, type Random } from '../../domain/random.ts';
import type { SelectionOptions } from '../../domain/run-plan.ts';
import type { PolicyInput } from '../policy.ts';
import { timesOfKind } from '../tally.ts';
import { nodeItems } from '../work.ts';
import { noveltyWeights } from './archive.ts';
import { beam } from './beam.ts';
import { bestOf, weightedPlace } from './candidates.ts';
import { thompson } from './clades.ts';
import { openNodes, type OpenNode } from './open-nodes.ts';
import { pareto, type TaskScores } from './pareto.ts';
import { puct } from './puct.ts';
import { uct } from './uct.ts';

/**
 * The node that is improved next, by a rule of selection; `undefined` when none has anything left. Work that
 * is in flight or in `chosen` counts as done, so that parallel slots spread, and the same input gives the same node.
 * O(N log N) a call, N being the nodes of the stage. The default, `best`, costs far less and does not come here: it also
 * keeps to branches that nobody works on (best-first.ts).
 */
export function selectedNode(input: PolicyInput, chosen: readonly NodeItem[], selection: SelectionOptions): NodeId | undefined {
  const open = openNodes(input, chosen);
  if (open.length === 0) return undefined;
  const round = timesOfKind(input.tried, 'improve:') + chosen.filter(({ operator }) => operator === 'improve').length;
  const draws = (): Random => randomStream(input.plan.seed, `${input.stage.name}/${selection.name}/${round}`);
  switch (selection.name) {
    case 'best':
      return bestOf(open)?.id;
    case 'beam':
      return beam(open, { n: 1, round, width: selection.beamWidth })[0];
    case 'puct':
      return puct(open, { n: 1, c: selection.exploration })[0];
    case 'uct':
      return uct(leastBusy(input, chosen, open), { n: 1, c: selection.exploration })[0];
    case 'pareto':
      return paretoNode(input, open, round);
    case 'novelty':
      return open[weightedPlace(noveltyWeights(open), draws().next())]?.id;
    case 'clades':
      return thompson(open, draws());
    default:
      return assertNever(selection.name);
  }
}

/** Of the nodes those that the fewest others are at work on, so that the slots of a batch get different ones. */
function leastBusy({ inFlight }: PolicyInput, chosen: readonly NodeItem[], open: readonly OpenNode[]): readonly OpenNode[] {
  const busy = new Map<NodeId | null, number>();
  for (const { operator, parent } of [...nodeItems(inFlight), ...chosen])
    if (operator === 'improve') busy.set(parent, (busy.get(parent) ?? 0) + 1);
  const least = open.reduce((fewest, { id }) => Math.min(fewest, busy.get(id) ?? 0), Infinity);
  return open.filter(({ id }) => (busy.get(id) ?? 0) === least);
}

/**
 * In turn those of the front over the stage's datasets. A stage knows the values on each dataset of its base and of
 * its best nodes only; where all of those have nothing left, the best of the others.
 */
function paretoNode(input: PolicyInput, open: readonly OpenNode[], round: number): NodeId | undefined {
  const ids = new Set(open.map(({ id }) => id));
  const known = scoresByDataset(input).filter(({ id, scores }) => ids.has(id) && Object.keys(scores).length > 0);
  return known.length === 0 ? bestOf(open)?.id : pareto(known, { n: 1, round })[0];
}

function scoresByDataset({ journal, plan: { metric } }: PolicyInput): TaskScores[] {
  const base = journal.base?.status === 'good' ? [journal.base] : [];
  const sign = metric.direction === 'maximize' ? 1 : -1;
  return [...base, ...journal.records].map(({ id, scores }) => ({
    id,
    scores: Object.fromEntries(Object.entries(scores).map(([dataset, value]) => [dataset, sign * value])),
  }));
}
