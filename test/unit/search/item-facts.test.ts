import { expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem } from '../../../src/domain/item.ts';
import { changeable, factsOf } from '../../../src/search/item-facts.ts';
import { testPlan } from '../../support/plan.ts';
import { tree } from '../../support/tree.ts';

const plan = testPlan();
const journal = tree([
  { id: 1, operator: 'draft', label: 'forest', metric: 0.4 },
  { id: 2, operator: 'tune', parent: 1, label: 'x', metric: 0.5 },
  { id: 3, operator: 'improve', parent: 2, label: 'boosting', metric: 0.6 },
  { id: 4, operator: 'debug', parent: 3, label: 'boosting', metric: 0.6 },
  { id: 5, operator: 'merge', parent: 4, label: 'merge of n2 and n3', metric: 0.7 },
]);
const familyOf = (parent: number): string | null => factsOf(nodeItem('improve', nodeId(parent), null, 0), journal, plan).family;

test('the family of an item is that of its node: what the draft was, or the improvement that went to another', () => {
  expect([1, 2, 3, 4, 5].map(familyOf)).toEqual(['forest', 'forest', 'boosting', 'boosting', 'boosting']);
  expect(familyOf(99)).toBeNull();
  expect(factsOf(nodeItem('draft', null, null, 0), journal, plan).family).toBeNull();
});

test('an item is about its component and the group of it, a plot about its node', () => {
  expect(factsOf(nodeItem('tune', nodeId(2), 'y', 0), journal, plan)).toEqual({
    operator: 'tune',
    parent: 'n2',
    target: 'y',
    family: 'forest',
    component_group: 'all',
  });
  expect(factsOf(plotItem(nodeId(3)), journal, plan)).toMatchObject({ operator: 'plot', parent: 'n3', target: null });
});

test('an edit may change what can be tuned and counts in the base', () => {
  expect(changeable(plan.components, ['y', 'nowhere', 'x'])).toEqual(['x', 'y']);
  expect(changeable(plan.components, [])).toEqual([]);
});
