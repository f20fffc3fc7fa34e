import type { Item } from '../domain/item.ts';
import type { ItemFacts } from '../domain/item-facts.ts';
import { branchesOf, findNode, type StageJournal } from '../domain/journal.ts';
import type { RunPlan } from '../domain/run-plan.ts';

/** What an item is about, as far as the stage knows it; strategies sort items by it. */
export function factsOf(item: Item, journal: StageJournal, { components }: Pick<RunPlan, 'components'>): ItemFacts {
  const parent = item.kind === 'node' ? item.parent : item.node;
  const target = item.kind === 'node' ? item.target : null;
  const root = parent === null ? undefined : branchesOf(journal).get(parent);
  return {
    operator: item.kind === 'node' ? item.operator : item.kind,
    parent,
    target,
    family: findNode(journal, root ?? parent)?.label ?? null,
    component_group: components.find(({ key }) => key === target)?.group ?? null,
  };
}

/** The component keys that an edit may change in a stage whose base has these active keys: not frozen, with a choice. */
export function changeable(components: RunPlan['components'], activeKeys: readonly string[]): string[] {
  return components.filter(({ key, tunable }) => tunable && activeKeys.includes(key)).map(({ key }) => key);
}
