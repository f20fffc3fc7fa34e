import { describe, expect, test } from 'vitest';
import { metricOf, Node } from '../../../src/domain/node.ts';
import { sketchedNode } from '../../support/tree.ts';

const good = sketchedNode({ id: 1, metric: 0.5 });
const buggy = sketchedNode({ id: 2, parent: 1, reason: 'timeout' });

describe('a node', () => {
  test('has a metric exactly when it is good', () => {
    expect(metricOf(good)).toBe(0.5);
    expect(metricOf(buggy)).toBeNull();
    expect(Node.safeParse({ ...good, metric: null }).success).toBe(false);
    expect(Node.safeParse({ ...buggy, metric: 0.5 }).success).toBe(false);
  });

  test('may have the metric 0, which is a value', () => {
    expect(metricOf(sketchedNode({ id: 1, metric: 0 }))).toBe(0);
  });

  test('is buggy only with a reason from the closed list', () => {
    expect(Node.safeParse({ ...buggy, reason: 'bad luck' }).success).toBe(false);
  });

  test('may fail before it has an experiment, and is never good without one', () => {
    expect(Node.safeParse({ ...buggy, experiment: null }).success).toBe(true);
    expect(Node.safeParse({ ...good, experiment: null }).success).toBe(false);
  });

  test('is refused with what it may not hold', () => {
    expect(Node.safeParse({ ...good, status: 'unknown' }).success).toBe(false);
    expect(Node.safeParse({ ...good, metric: Number.NaN }).success).toBe(false);
    expect(Node.safeParse({ ...good, changed: ['../x'] }).success).toBe(false);
    expect(Node.safeParse({ ...buggy, message: 'x'.repeat(601) }).success).toBe(false);
    expect(Node.safeParse({ ...good, extra: 1 }).success).toBe(false);
  });

  test('reads back as it was written', () => {
    for (const node of [good, buggy]) expect(Node.parse(JSON.parse(JSON.stringify(node)))).toEqual(node);
  });
});
