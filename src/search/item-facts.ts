import type { Item } from '../domain/item.ts';
import type { ItemFacts } from '../domain/item-facts.ts';
import type { NodeId } from '../domain/ids.ts';
import { findNode, type StageJournal } from '../domain/journal.ts';
import type { RunPlan } from '../domain/run-plan.ts';

/** What an item is about, as far as the stage knows it; strategies sort items by it. */
export function factsOf(item: Item, journal: StageJournal, { components }: Pick<RunPlan, 'components'>): ItemFacts {
  const parent = item.kind === 'node' ? item.parent : item.node;
  const target = item.kind === 'node' ? item.target : null;
  return {
    operator: item.kind === 'node' ? item.operator : item.kind,
    parent,
    target,
    family: familyOf(journal, parent),
    component_group: components.find(({ key }) => key === target)?.group ?? null,
  };
}

/** Operators whose nodes are labelled by their family; the labels of others say what was worked on. */
const NAMES_FAMILY: ReadonlySet<string> = new Set(['draft', 'improve']);

/** The family of a node: that of the nearest node up from it that names one, as an improvement may go to another. */
function familyOf(journal: StageJournal, id: NodeId | null): string | null {
  let node = findNode(journal, id);
  while (node !== undefined && !NAMES_FAMILY.has(node.operator)) node = findNode(journal, node.parent);
  return node?.label ?? null;
}

/** The component keys that an edit may change in a stage whose base has these active keys: not frozen, with a choice. */
export function changeable(components: RunPlan['components'], activeKeys: readonly string[]): string[] {
  return components.filter(({ key, tunable }) => tunable && activeKeys.includes(key)).map(({ key }) => key);
}
