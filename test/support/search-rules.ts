import type { Item, NodeItem } from '../../src/domain/item.ts';
import { nodeItem } from '../../src/domain/item.ts';
import { allNodes, findNode } from '../../src/domain/journal.ts';
import type { PolicyInput } from '../../src/search/policy.ts';
import { timesOf } from '../../src/search/tally.ts';
import { nodeItems, workKeyOf } from '../../src/search/work.ts';

/** The contract of a policy as a check: what a backlog does wrong, in words; nothing when it keeps every rule. */
export function backlogProblems(input: PolicyInput, want: number, backlog: readonly NodeItem[]): string[] {
  const room = Math.max(0, input.stage.maxNodes - input.dispatched);
  const ids = backlog.map(({ id }) => String(id));
  const busy = new Set(input.inFlight.map(({ id }) => String(id)));
  return [
    ...(backlog.length > want ? [`${backlog.length} items, ${want} wanted`] : []),
    ...(backlog.length > room ? [`${backlog.length} items, room for ${room}`] : []),
    ...(new Set(ids).size < ids.length ? [`an item twice: ${ids.join(', ')}`] : []),
    ...ids.filter((id) => busy.has(id)).map((id) => `${id} is in flight`),
    ...backlog.flatMap((item) => itemProblems(input, item)),
    ...rootProblems(input, backlog),
  ];
}

function itemProblems(input: PolicyInput, item: NodeItem): string[] {
  const { operator, parent, target, ordinal, id } = item;
  const from = findNode(input.journal, parent);
  const said = nodeItem(operator, parent, target, ordinal).id;
  return [
    ...(id === said ? [] : [`${id} should be called ${said}`]),
    ...(parent !== null && from === undefined ? [`${id} starts from a node that there is not`] : []),
    ...(ordinal < timesOf(input.tried, workKeyOf(item)) ? [`${id} was given out before`] : []),
    ...(input.exhausted.includes(workKeyOf(item)) ? [`${id} is exhausted`] : []),
    ...(operator === 'draft' && input.journal.base !== null ? [`${id} begins again though the stage starts from a node`] : []),
    ...(operator === 'debug' ? debugProblems(input, item) : []),
    ...(['improve', 'tune', 'ablate'].includes(operator) && from?.status !== 'good'
      ? [`${id} builds on what does not work`]
      : []),
  ];
}

function debugProblems(input: PolicyInput, item: NodeItem): string[] {
  const leaf = findNode(input.journal, item.parent);
  const hasChild = allNodes(input.journal).some(({ parent }) => parent === item.parent);
  const inRepair = nodeItems(input.inFlight).some(({ operator, parent }) => operator === 'debug' && parent === item.parent);
  return [
    ...(leaf?.status === 'buggy' && !hasChild ? [] : [`${item.id} repairs what is no buggy leaf`]),
    ...((leaf?.debugDepth ?? 0) >= input.plan.search.maxDebugDepth ? [`${item.id} is too deep`] : []),
    ...(inRepair ? [`${item.id} is repaired by another`] : []),
  ];
}

function rootProblems(input: PolicyInput, backlog: readonly Item[]): string[] {
  const isDraft = ({ operator }: { operator: string }) => operator === 'draft';
  const newRoots = nodeItems(backlog).filter(isDraft).length;
  const roots = allNodes(input.journal).filter(isDraft).length + nodeItems(input.inFlight).filter(isDraft).length + newRoots;
  return newRoots > 0 && roots > input.plan.search.numDrafts ? [`${roots} roots, ${input.plan.search.numDrafts} wanted`] : [];
}
