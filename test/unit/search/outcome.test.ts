import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, type Operator } from '../../../src/domain/item.ts';
import { Node } from '../../../src/domain/node.ts';
import type { MetricSpec } from '../../../src/domain/metric.ts';
import { ItemOutcome, judgedNode, nodeCore, overallMetric } from '../../../src/search/outcome.ts';
import { evaluation, nodeOutcome, refOf, sketchedNode } from '../../support/tree.ts';

const spec: MetricSpec = { name: 'score', direction: 'maximize', aggregation: 'mean' };
const draftOf = (operator: Operator, parent: Node | undefined, label = 'forest') => ({
  id: nodeId(5),
  stage: 'creative_research' as const,
  item: nodeItem(operator, parent?.id ?? null, null, 0),
  parent,
  label,
  changed: ['x'],
});
const core = { ...nodeCore(draftOf('improve', sketchedNode({ id: 1, metric: 1 }))), experiment: refOf(5) };

describe('what a node is whatever becomes of it', () => {
  test('says where it comes from and what it is about', () => {
    expect(core).toEqual({
      id: 'n5',
      stage: 'creative_research',
      operator: 'improve',
      parent: 'n1',
      item: 'improve:n1#0',
      label: 'forest',
      changed: ['x'],
      debugDepth: 0,
      experiment: refOf(5),
    });
  });

  test('keeps the label of a repaired node, good or not, and counts the step', () => {
    const broken = { ...sketchedNode({ id: 1, label: 'model.depth' }), debugDepth: 1 };
    const repair = { ...nodeCore(draftOf('debug', broken, broken.label)), experiment: refOf(5) };
    expect(judgedNode(repair, spec, [evaluation('a', 1)])).toMatchObject({ status: 'good', label: 'model.depth', debugDepth: 2 });
    expect(judgedNode(repair, spec, [evaluation('a', 'timeout')])).toMatchObject({
      status: 'buggy',
      label: 'model.depth',
      debugDepth: 2,
    });
  });

  test('is a root without a parent', () => {
    expect(nodeCore(draftOf('draft', undefined))).toMatchObject({ parent: null, debugDepth: 0, item: 'draft#0' });
  });
});

describe('a metric over several evaluations', () => {
  test('is aggregated as the task wants it', () => {
    const records = [evaluation('a', 1), evaluation('b', 2), evaluation('c', 6)];
    expect(overallMetric(spec, records)).toBe(3);
    expect(overallMetric({ ...spec, aggregation: 'median' }, records)).toBe(2);
    expect(overallMetric({ ...spec, aggregation: 'min' }, records)).toBe(1);
  });

  test('is missing when one of them failed or has no value, or there is none', () => {
    expect(overallMetric(spec, [evaluation('a', 1), evaluation('b', 'timeout')])).toBeNull();
    expect(overallMetric(spec, [evaluation('a', 1), evaluation('b', null)])).toBeNull();
    expect(overallMetric(spec, [])).toBeNull();
  });
});

describe('a judged node', () => {
  test('is good with its metric and the value on each dataset', () => {
    const node = judgedNode(core, spec, [evaluation('a', 1), evaluation('b', 0)]);
    expect(node).toMatchObject({ status: 'good', metric: 0.5, scores: { a: 1, b: 0 }, experiment: refOf(5) });
    expect(Node.parse(node)).toEqual(node);
  });

  test('is buggy with the reason of the first evaluation that failed', () => {
    const node = judgedNode(core, spec, [evaluation('a', 1), evaluation('b', 'out_of_memory'), evaluation('c', 'timeout')]);
    expect(node).toMatchObject({
      status: 'buggy',
      reason: 'out_of_memory',
      message: 'it was out_of_memory',
      experiment: refOf(5),
    });
    expect(node).not.toHaveProperty('metric');
    expect(Node.parse(node)).toEqual(node);
  });

  test('is buggy when nothing was measured', () => {
    expect(judgedNode(core, spec, [])).toMatchObject({ status: 'buggy', reason: 'no_result' });
    expect(judgedNode(core, spec, [evaluation('a', null)])).toMatchObject({ status: 'buggy', reason: 'no_result' });
  });

  test('fits its schema even with the largest values that there are', () => {
    const node = judgedNode(core, spec, [evaluation('a', Number.MAX_VALUE), evaluation('b', Number.MAX_VALUE)]);
    expect(Node.parse(JSON.parse(JSON.stringify(node)))).toEqual(node);
  });
});

describe('an outcome', () => {
  test('of any kind reads back as it was written', () => {
    const node = sketchedNode({ id: 1, metric: 1 });
    const outcomes: ItemOutcome[] = [
      nodeOutcome(node),
      { kind: 'base', node, evaluations: [evaluation('a', 1)] },
      { kind: 'dropped', item: node.item, reason: 'duplicate', message: 'made before' },
      { kind: 'replica', node: node.id, replica: 1, metric: null, evaluations: [evaluation('a', 'signal')] },
      { kind: 'plot', node: node.id, evaluations: [] },
    ];
    for (const outcome of outcomes) expect(ItemOutcome.parse(JSON.parse(JSON.stringify(outcome)))).toEqual(outcome);
  });
});
