import type { NodeId } from '../../domain/ids.ts';
import type { NodeItem } from '../../domain/item.ts';
import { allNodes, rankedNodes } from '../../domain/journal.ts';
import type { GoodStageNode } from '../../domain/node.ts';
import type { PolicyInput } from '../policy.ts';
import { timesOf } from '../tally.ts';
import { parentsOfWork, workKey } from '../work.ts';
import type { Candidate } from './candidates.ts';

/** A good node that `improve` can start from; its score is the share of the others that are worse. */
export interface OpenNode extends Candidate {
  readonly score: number;
  /** Improvements of it alone, those in flight and chosen included. */
  readonly children: number;
}

/**
 * The good nodes of a stage that have something left to improve, the base among them, in the order in which they
 * came. The metric has no scale of its own, so it counts by rank. Visits are improvements given out of a node and of
 * all that descends from it, those in flight and in `chosen` included. O(N), N being the nodes of the stage.
 */
export function openNodes(input: PolicyInput, chosen: readonly NodeItem[]): OpenNode[] {
  const nodes = allNodes(input.journal);
  const scores = openScores(input);
  const children = childrenOf(input, chosen);
  const visits = visitsOf(input, children);
  const nearest = new Map<NodeId, NodeId | null>();
  return nodes.flatMap(({ id, parent }) => {
    const above = parent === null ? null : (nearest.get(parent) ?? null);
    const score = scores.get(id);
    nearest.set(id, score === undefined ? above : id);
    if (score === undefined) return [];
    return [{ id, score, parent: above, visits: visits.get(id) ?? 0, children: children.get(id) ?? 0 }];
  });
}

/** The score of each open node: 1 for the best, 0 for the worst; equal metrics have equal scores. */
function openScores({ journal, plan, exhausted }: PolicyInput): Map<NodeId, number> {
  const closed = parentsOfWork('improve', exhausted);
  const ranked = rankedNodes(journal, plan.metric.direction).filter(({ id }) => !closed.has(id));
  const scores = new Map<NodeId, number>();
  let worse = 0;
  let last: GoodStageNode | undefined;
  for (const [place, node] of ranked.toReversed().entries()) {
    if (node.metric !== last?.metric) worse = place;
    last = node;
    scores.set(node.id, ranked.length === 1 ? 1 : worse / (ranked.length - 1));
  }
  return scores;
}

function childrenOf({ journal, tried }: PolicyInput, chosen: readonly NodeItem[]): Map<NodeId, number> {
  const children = new Map(allNodes(journal).map(({ id }) => [id, timesOf(tried, workKey('improve', id, null))]));
  for (const { operator, parent } of chosen)
    if (operator === 'improve' && parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1);
  return children;
}

/** Sums over subtrees: parents come before children (J3), so that one walk from the end is enough. */
function visitsOf({ journal }: PolicyInput, children: ReadonlyMap<NodeId, number>): Map<NodeId, number> {
  const visits = new Map(children);
  for (const { id, parent } of allNodes(journal).toReversed())
    if (parent !== null) visits.set(parent, (visits.get(parent) ?? 0) + (visits.get(id) ?? 0));
  return visits;
}
