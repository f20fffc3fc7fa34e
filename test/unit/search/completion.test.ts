import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem } from '../../../src/domain/item.ts';
import { completion, emptyBacklog } from '../../../src/search/completion.ts';
import { stageDefinition } from '../../support/plan.ts';
import { policyInput, sketchedNode, tree, type InputChange, type Sketch } from '../../support/tree.ts';

const draft = (ordinal: number) => nodeItem('draft', null, null, ordinal);
const goodRule = (min: number, maxNodes = 20) =>
  stageDefinition('initial_implementation', { maxNodes, rules: [{ rule: 'good_nodes', min }] });
const drafts: readonly Sketch[] = [{ id: 1 }, { id: 2, metric: 0.5 }, { id: 3 }];

describe('the rule good_nodes', () => {
  const ends = (change: InputChange, min = 1) =>
    completion(policyInput({ stage: goodRule(min), search: { numDrafts: 3 }, ...change }));

  test('holds when there are enough good nodes and every draft is in', () => {
    expect(ends({ journal: tree(drafts) })).toEqual({
      reason: 'good_nodes',
      text: '1 good node, 1 wanted, and every draft is in',
    });
    expect(ends({ journal: tree([...drafts, { id: 4, parent: 2, metric: 1 }]) }, 2)?.text).toBe(
      '2 good nodes, 2 wanted, and every draft is in',
    );
  });

  test('waits for drafts that were not given out yet', () => {
    expect(ends({ journal: tree(drafts.slice(0, 2)) })).toBeNull();
  });

  test('waits for drafts that are being made', () => {
    expect(ends({ journal: tree(drafts.slice(0, 2)), inFlight: [draft(2)] })).toBeNull();
  });

  test('does not wait for other work', () => {
    expect(ends({ journal: tree(drafts), inFlight: [nodeItem('debug', nodeId(1), null, 0)] })?.reason).toBe('good_nodes');
  });

  test('does not wait for drafts that can no longer be made', () => {
    expect(ends({ journal: tree(drafts.slice(0, 2)), exhausted: ['draft::'] })?.reason).toBe('good_nodes');
  });

  test('waits for more good nodes', () => {
    expect(ends({ journal: tree(drafts) }, 2)).toBeNull();
    expect(ends({ journal: tree([{ id: 1 }, { id: 2 }, { id: 3 }]) })).toBeNull();
  });

  test('does not count the carried node', () => {
    expect(ends({ journal: tree([], { base: sketchedNode({ id: 1, metric: 1 }) }) })).toBeNull();
  });

  test('counts nodes that came in after the last one was given out', () => {
    const stage = goodRule(1, 3);
    expect(ends({ stage, journal: tree(drafts.slice(0, 2)), inFlight: [draft(2)] })?.reason).toBe('node_limit');
    expect(ends({ stage, journal: tree(drafts) })?.reason).toBe('good_nodes');
  });
});

describe('the rule patience', () => {
  const base = sketchedNode({ id: 1, metric: 0.5 });
  const ends = (metrics: readonly (number | null)[], change: InputChange = {}) => {
    const nodes = metrics.map((metric, index) => ({ id: index + 2, parent: 1, ...(metric !== null && { metric }) }));
    const stage = stageDefinition('baseline_tuning', { maxNodes: 20, rules: [{ rule: 'patience', nodes: 3 }] });
    return completion(policyInput({ stage, journal: tree(nodes, { base }), ...change }));
  };

  test('holds after so many nodes in a row without a better one', () => {
    expect(ends([0.4, 0.5, null])).toEqual({ reason: 'patience', text: '3 nodes in a row brought nothing better' });
    expect(ends([0.4, 0.5])).toBeNull();
  });

  test('starts again with every better node', () => {
    expect(ends([0.4, 0.4, 0.6, 0.4, 0.6])).toBeNull();
    expect(ends([0.4, 0.4, 0.6, 0.4, 0.6, 0.5])?.reason).toBe('patience');
  });

  test('compares with the best so far, not with the node before', () => {
    expect(ends([0.9, 0.1, 0.2, 0.3])?.reason).toBe('patience');
  });

  test('knows which way is better', () => {
    expect(ends([0.4, 0.3, 0.2], { direction: 'minimize' })).toBeNull();
    expect(ends([0.4, 0.3, 0.2])?.reason).toBe('patience');
  });

  test('counts nodes that have finished only', () => {
    const inFlight = [nodeItem('tune', nodeId(1), 'x', 0), nodeItem('tune', nodeId(1), 'y', 0)];
    expect(ends([0.4, 0.4], { inFlight })).toBeNull();
  });

  test('takes any value for better than none', () => {
    const broken = sketchedNode({ id: 1 });
    const nodes: Sketch[] = [
      { id: 2, parent: 1 },
      { id: 3, parent: 1 },
      { id: 4, parent: 1, metric: -5 },
    ];
    expect(ends([], { journal: tree(nodes, { base: broken }) })).toBeNull();
    expect(ends([], { journal: tree([...nodes.slice(0, 2), { id: 4, parent: 1 }], { base: broken }) })?.reason).toBe('patience');
  });
});

describe('the rule target', () => {
  const base = sketchedNode({ id: 1, metric: 0.5 });
  const ends = (metrics: readonly number[], value: number, change: InputChange = {}) => {
    const nodes = metrics.map((metric, index) => ({ id: index + 2, parent: 1, metric }));
    const rules = [{ rule: 'target', value } as const, { rule: 'patience', nodes: 2 } as const];
    const stage = stageDefinition('creative_research', { maxNodes: 20, rules });
    return completion(policyInput({ stage, journal: tree(nodes, { base }), ...change }));
  };

  test('holds when the best metric is the target or better, and says so', () => {
    expect(ends([0.6], 0.7)).toBeNull();
    expect(ends([0.7], 0.7)).toEqual({ reason: 'target', text: 'score of n2 is 0.7, 0.7 wanted' });
    expect(ends([0.9, 0.1], 0.7)).toEqual({ reason: 'target', text: 'score of n2 is 0.9, 0.7 wanted' });
  });

  test('knows which way is better, also below zero', () => {
    expect(ends([0.4], 0.4, { direction: 'minimize' })?.reason).toBe('target');
    expect(ends([0.41], 0.4, { direction: 'minimize' })).toBeNull();
    expect(ends([-2], -1, { direction: 'minimize' })?.reason).toBe('target');
    expect(ends([], -1)?.reason).toBe('target');
  });

  test('counts the carried node, so that a stage that starts there makes none', () => {
    expect(ends([], 0.5)?.reason).toBe('target');
    expect(ends([], 0.51)).toBeNull();
  });

  test('is a better reason than patience or the limit', () => {
    expect(ends([0.1, 0.1], 0.5)?.reason).toBe('target');
    expect(ends([0.1, 0.1], 0.6)?.reason).toBe('patience');
    expect(ends([0.1], 0.5, { dispatched: 20 })?.reason).toBe('target');
  });

  test('does not hold without a good node', () => {
    expect(ends([], -1e308, { journal: tree([{ id: 2, parent: 1 }], { base: sketchedNode({ id: 1 }) }) })).toBeNull();
  });
});

describe('the node limit', () => {
  const stage = stageDefinition('creative_research', { maxNodes: 2 });

  test('ends a stage that has no other rule', () => {
    expect(completion(policyInput({ stage, dispatched: 1 }))).toBeNull();
    expect(completion(policyInput({ stage, dispatched: 2 }))).toEqual({
      reason: 'node_limit',
      text: 'all 2 nodes of the stage were made',
    });
    expect(completion(policyInput({ stage, dispatched: 3 }))?.reason).toBe('node_limit');
  });

  test('of nothing ends a stage at once', () => {
    expect(completion(policyInput({ stage: stageDefinition('creative_research', { maxNodes: 0 }) }))?.reason).toBe('node_limit');
  });

  test('is named only when no rule holds: a good node of the last batch counts', () => {
    expect(completion(policyInput({ stage: goodRule(1, 3), journal: tree(drafts) }))?.reason).toBe('good_nodes');
  });

  test('gives way to the first of several rules that holds', () => {
    const rules = [
      { rule: 'patience', nodes: 1 },
      { rule: 'good_nodes', min: 1 },
    ] as const;
    const input = policyInput({ stage: stageDefinition('initial_implementation', { rules: [...rules] }), journal: tree(drafts) });
    expect(completion(input)?.reason).toBe('patience');
    expect(completion({ ...input, stage: { ...input.stage, rules: rules.toReversed() } })?.reason).toBe('good_nodes');
  });
});

describe('an empty backlog', () => {
  test('means that nothing is left to try when there is a good node', () => {
    expect(emptyBacklog(policyInput({ journal: tree(drafts) }))).toEqual({ reason: 'exhausted', text: 'nothing is left to try' });
    expect(emptyBacklog(policyInput({ journal: tree([], { base: sketchedNode({ id: 1, metric: 0 }) }) })).reason).toBe(
      'exhausted',
    );
  });

  test('means that there is no way on when there is none', () => {
    const end = { reason: 'no_way_on', text: 'there is no good node and nothing left to repair' };
    expect(emptyBacklog(policyInput({ journal: tree([{ id: 1 }]) }))).toEqual(end);
    expect(emptyBacklog(policyInput())).toEqual(end);
    expect(emptyBacklog(policyInput({ journal: tree([], { base: sketchedNode({ id: 1 }) }) }))).toEqual(end);
  });
});
