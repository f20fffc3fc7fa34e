import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { Item, nodeItem, plotItem, replicateItem } from '../../../src/domain/item.ts';

describe('an item', () => {
  test('is called by what it is', () => {
    expect(nodeItem('draft', null, null, 2).id).toBe('draft#2');
    expect(nodeItem('improve', nodeId(3), null, 0).id).toBe('improve:n3#0');
    expect(nodeItem('tune', nodeId(3), 'model.depth', 1).id).toBe('tune:n3:model.depth#1');
    expect(nodeItem('ablate', nodeId(3), 'a+b', 0).id).toBe('ablate:n3:a+b#0');
    expect(replicateItem(nodeId(4), 2).id).toBe('replicate:n4#2');
    expect(plotItem(nodeId(4)).id).toBe('plot:n4');
  });

  test('has an id of its own when operator, parent, target or ordinal differ', () => {
    const items = [
      nodeItem('draft', null, null, 0),
      nodeItem('draft', null, null, 1),
      nodeItem('debug', nodeId(1), null, 0),
      nodeItem('improve', nodeId(1), null, 0),
      nodeItem('improve', nodeId(11), null, 0),
      nodeItem('improve', nodeId(1), null, 1),
      nodeItem('tune', nodeId(1), 'x', 0),
      nodeItem('tune', nodeId(1), 'y', 0),
      nodeItem('ablate', nodeId(1), 'x', 0),
      replicateItem(nodeId(1), 0),
      replicateItem(nodeId(1), 1),
      plotItem(nodeId(1)),
    ];
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });

  test('reads back as it was written, also with the longest pair of components', () => {
    const pair = `${'a'.repeat(80)}+${'b'.repeat(80)}`;
    for (const item of [nodeItem('ablate', nodeId(9_999_999), pair, 99_999), replicateItem(nodeId(1), 999), plotItem(nodeId(1))])
      expect(Item.parse(JSON.parse(JSON.stringify(item)))).toEqual(item);
  });

  test('is refused with a key too many or an unknown operator', () => {
    const item = nodeItem('draft', null, null, 0);
    expect(Item.safeParse({ ...item, worker: 1 }).success).toBe(false);
    expect(Item.safeParse({ ...item, operator: 'mutate' }).success).toBe(false);
    expect(Item.safeParse({ ...item, ordinal: -1 }).success).toBe(false);
  });
});
