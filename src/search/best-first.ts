import type { NodeId } from '../domain/ids.ts';
import { nodeItem, type NodeItem, type Operator } from '../domain/item.ts';
import { bestElsewhere, branchesOf, buggyLeaves, rankedNodes } from '../domain/journal.ts';
import type { BuggyStageNode, GoodStageNode } from '../domain/node.ts';
import { randomStream } from '../domain/random.ts';
import { SelectionOptions } from '../domain/run-plan.ts';
import type { Policy, PolicyInput } from './policy.ts';
import { selectedNode } from './selection/select.ts';
import { isDraftDue } from './drafts.ts';
import { nextAblation, nextTuning } from './targets.ts';
import { pinnedNode } from './wishes.ts';
import { timesOf } from './tally.ts';
import { nodeItems, parentsOfWork, workKey, workKeyOf } from './work.ts';

/**
 * The seed system's parallel node selection (AI-Scientist-v2 `_select_parallel_nodes`; behaviour in its
 * issues and code) as a pure seeded function. Per slot: a draft while roots are missing; with `debugProb`
 * the repair of a buggy leaf; else the stage's operator; else any repair that is left.
 *
 * Where it differs from the original, on purpose:
 * B1 Exactly `numDrafts` roots, counting those given out in the same batch.
 * B2 A chain of debug steps is at most `maxDebugDepth` long, not one longer.
 * B3 Every slot either yields an item of its own or ends the batch, so selection always terminates.
 * B4 Two slots of a batch never get equal work; a parent that is used again gets another ordinal.
 * B5 Tuning builds on the best node so far rather than on the first one.
 */
export const bestFirst: Policy = {
  name: 'best_first',
  backlog(input, want) {
    const room = Math.max(0, input.stage.maxNodes - input.dispatched);
    const chosen: NodeItem[] = [];
    while (chosen.length < Math.min(want, room)) {
      const item = nextItem(input, chosen);
      if (item === null) break;
      chosen.push(item);
    }
    return chosen;
  },
};

function nextItem(input: PolicyInput, chosen: readonly NodeItem[]): NodeItem | null {
  if (isDraftDue(input, chosen)) return counted(input, chosen, 'draft', null, null);
  const slot = input.dispatched + chosen.length;
  const wantsDebug = randomStream(input.plan.seed, `${input.stage.name}/debug/${slot}`).next() < input.plan.search.debugProb;
  const repair = (): NodeItem | null => nextDebug(input, chosen, slot);
  return (wantsDebug ? repair() : null) ?? nextOperator(input, chosen) ?? repair();
}

function nextOperator(input: PolicyInput, chosen: readonly NodeItem[]): NodeItem | null {
  const busy = [...nodeItems(input.inFlight), ...chosen];
  switch (input.stage.operator) {
    case 'tune': {
      const work = nextTuning(input, busy);
      return work === null ? null : counted(input, chosen, 'tune', work.parent, work.target);
    }
    case 'ablate': {
      const work = nextAblation(input, busy);
      return work === null ? null : counted(input, chosen, 'ablate', work.parent, work.target);
    }
    case 'draft':
    case 'debug':
    case 'improve':
    case 'merge':
      return nextImprove(input, chosen);
  }
}

/** The selection of a plan that names none. */
const SEED_SYSTEMS = SelectionOptions.parse({});

/**
 * The node that a person pinned; else what the plan's rule of selection says. That of the seed system is best first
 * over distinct branches, and when every branch is taken, the best node that has something left; all others: see
 * selection/select.ts.
 */
function nextImprove(input: PolicyInput, chosen: readonly NodeItem[]): NodeItem | null {
  const { journal, wishes } = input;
  const { selection = SEED_SYSTEMS } = input.plan.search;
  const exhausted = parentsOfWork('improve', input.exhausted);
  const isOpen = ({ id }: GoodStageNode): boolean => !exhausted.has(id);
  const pinned = pinnedNode(journal, wishes);
  const node =
    (pinned !== undefined && isOpen(pinned) ? pinned.id : undefined) ??
    (selection.name === 'best' ? bestOpen(input, chosen, isOpen) : selectedNode(input, chosen, selection));
  return node === undefined ? null : counted(input, chosen, 'improve', node, null);
}

function bestOpen(input: PolicyInput, chosen: readonly NodeItem[], isOpen: (node: GoodStageNode) => boolean): NodeId | undefined {
  const { journal, plan } = input;
  const { direction } = plan.metric;
  const elsewhere = bestElsewhere(journal, direction, { taken: takenBranches(input, chosen), isWanted: isOpen });
  return (elsewhere ?? rankedNodes(journal, direction).find(isOpen))?.id;
}

/** One buggy leaf, drawn evenly, from a branch that no other slot uses as long as there is one. */
function nextDebug(input: PolicyInput, chosen: readonly NodeItem[], slot: number): NodeItem | null {
  const leaves = debuggableLeaves(input, chosen);
  const [taken, branches] = [takenBranches(input, chosen), branchesOf(input.journal)];
  const fresh = leaves.filter(({ id }) => !taken.has(branches.get(id) ?? id));
  const draw = randomStream(input.plan.seed, `${input.stage.name}/leaf/${slot}`);
  const leaf = draw.pick(fresh.length > 0 ? fresh : leaves);
  return leaf === undefined ? null : counted(input, chosen, 'debug', leaf.id, null);
}

/** What a program's failure is not to blame for, or a person's decision, is not repaired. */
const NOT_REPAIRED: ReadonlySet<BuggyStageNode['reason']> = new Set(['cancelled', 'pruned', 'poison', 'infrastructure']);

function debuggableLeaves(input: PolicyInput, chosen: readonly NodeItem[]): BuggyStageNode[] {
  const exhausted = parentsOfWork('debug', input.exhausted);
  const inRepair = new Set(
    [...nodeItems(input.inFlight), ...chosen].map((item) => (item.operator === 'debug' ? item.parent : null)),
  );
  return buggyLeaves(input.journal).filter(
    (leaf) =>
      leaf.debugDepth < input.plan.search.maxDebugDepth &&
      !NOT_REPAIRED.has(leaf.reason) &&
      !inRepair.has(leaf.id) &&
      !exhausted.has(leaf.id),
  );
}

/** The branches that are worked on, by an item in flight or one chosen before. */
function takenBranches(input: PolicyInput, chosen: readonly NodeItem[]): ReadonlySet<NodeId> {
  const branches = branchesOf(input.journal);
  const parents = [...nodeItems(input.inFlight), ...chosen].map((item) => item.parent);
  return new Set(parents.flatMap((id) => (id === null ? [] : (branches.get(id) ?? []))));
}

function counted(
  input: PolicyInput,
  chosen: readonly NodeItem[],
  operator: Operator,
  parent: NodeId | null,
  target: string | null,
): NodeItem {
  const key = workKey(operator, parent, target);
  const before = timesOf(input.tried, key) + chosen.filter((item) => workKeyOf(item) === key).length;
  return nodeItem(operator, parent, target, before);
}
