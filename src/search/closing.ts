import type { NodeId } from '../domain/ids.ts';
import { plotItem, replicateItem, type Item } from '../domain/item.ts';
import { bestNode, rankedNodes, type StageJournal } from '../domain/journal.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';

/**
 * What is left to do when a stage has all its nodes: evaluate the best node, and the base that it is held
 * against, on fresh seeds, so that its gain can be told from noise; and draw their figures. Scope `node`
 * replicates every good node. Items that are done or in flight are left out.
 */
export function closingItems(
  plan: Pick<RunPlan, 'metric' | 'replication'>,
  stage: StageDefinition,
  journal: StageJournal,
  inFlight: readonly Item[],
): Item[] {
  const busy = new Set(inFlight.map((item) => item.id));
  const compared = comparedNodes(plan, journal);
  const replicated =
    plan.replication.scope === 'node' ? rankedNodes(journal, plan.metric.direction).map(({ id }) => id) : compared;
  const replicas = replicated.flatMap((node) => openReplicas(plan.replication.numSeeds, journal, node));
  const plots = stage.plots ? compared.filter((node) => !journal.plotted.includes(node)).map(plotItem) : [];
  return [...replicas, ...plots].filter((item) => !busy.has(item.id));
}

/** The best node and the base, each once. */
function comparedNodes(plan: Pick<RunPlan, 'metric'>, journal: StageJournal): NodeId[] {
  const best = bestNode(journal, plan.metric.direction);
  if (best === undefined) return [];
  const base = journal.base;
  return base?.status === 'good' && base.id !== best.id ? [best.id, base.id] : [best.id];
}

function openReplicas(numSeeds: number, journal: StageJournal, node: NodeId): Item[] {
  const done = journal.replicas[node] ?? {};
  return Array.from({ length: numSeeds }, (_, replica) => replica)
    .filter((replica) => !(String(replica) in done))
    .map((replica) => replicateItem(node, replica));
}
