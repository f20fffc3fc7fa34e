import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem, replicateItem } from '../../../src/domain/item.ts';
import { nodeItems, workKey, workKeyOf } from '../../../src/search/work.ts';

describe('work', () => {
  test('is equal when operator, parent and target are, whatever the ordinal', () => {
    expect(workKeyOf(nodeItem('tune', nodeId(1), 'x', 0))).toBe(workKeyOf(nodeItem('tune', nodeId(1), 'x', 5)));
    const works = [
      workKey('draft', null, null),
      workKey('debug', nodeId(1), null),
      workKey('improve', nodeId(1), null),
      workKey('improve', nodeId(11), null),
      workKey('tune', nodeId(1), 'x'),
      workKey('tune', nodeId(1), 'y'),
      workKey('ablate', nodeId(1), 'x'),
    ];
    expect(new Set(works).size).toBe(works.length);
  });

  test('has this key, as checkpoints hold it', () => {
    expect(workKeyOf(nodeItem('tune', nodeId(3), 'model.depth', 2))).toBe('tune:n3:model.depth');
    expect(workKeyOf(nodeItem('draft', null, null, 2))).toBe('draft::');
  });

  test('is what makes nodes: replicas and figures are none', () => {
    const draft = nodeItem('draft', null, null, 0);
    expect(nodeItems([replicateItem(nodeId(1), 0), draft, plotItem(nodeId(1))])).toEqual([draft]);
  });
});
