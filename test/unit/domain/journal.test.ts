import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import {
  allNodes,
  bestNode,
  branchesOf,
  buggyLeaves,
  emptyJournal,
  findNode,
  JournalEvent,
  nextDebugDepth,
  rankedNodes,
  type StageJournal,
} from '../../../src/domain/journal.ts';
import { evaluation, sketchedNode, tree } from '../../support/tree.ts';

const base = sketchedNode({ id: 1, metric: 0.5, operator: 'draft' });

describe('the nodes of a stage', () => {
  test('are listed base first, then in the order of their events', () => {
    const journal = tree(
      [
        { id: 4, parent: 1, metric: 1 },
        { id: 3, parent: 1 },
      ],
      { base },
    );
    expect(allNodes(journal).map(({ id }) => id)).toEqual(['n1', 'n4', 'n3']);
    expect(allNodes(emptyJournal())).toEqual([]);
  });

  test('are found by id, the base too', () => {
    const journal = tree([{ id: 2, parent: 1, metric: 1 }], { base });
    expect(findNode(journal, nodeId(2))?.parent).toBe('n1');
    expect(findNode(journal, nodeId(1))).toEqual(base);
    expect(findNode(journal, nodeId(3))).toBeUndefined();
    expect(findNode(journal, null)).toBeUndefined();
  });

  test('are ranked best first, of equals the earlier first, without the buggy ones', () => {
    const journal = tree([
      { id: 1, metric: 0.5 },
      { id: 2, metric: 0.9 },
      { id: 3 },
      { id: 4, metric: 0.5 },
      { id: 5, metric: 0.9 },
    ]);
    expect(rankedNodes(journal, 'maximize').map(({ id }) => id)).toEqual(['n2', 'n5', 'n1', 'n4']);
    expect(rankedNodes(journal, 'minimize').map(({ id }) => id)).toEqual(['n1', 'n4', 'n2', 'n5']);
    expect(journal.nodes.map(({ id }) => id)).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
  });

  test('have a best one only when one is good; the base is kept at a tie', () => {
    expect(bestNode(tree([{ id: 1 }]), 'maximize')).toBeUndefined();
    expect(bestNode(tree([{ id: 2, parent: 1, metric: 0.5 }], { base }), 'maximize')?.id).toBe('n1');
    expect(bestNode(tree([{ id: 2, parent: 1, metric: 0.51 }], { base }), 'maximize')?.id).toBe('n2');
  });
});

describe('buggy leaves', () => {
  test('are buggy nodes without children', () => {
    const journal = tree([
      { id: 1 },
      { id: 2, metric: 1 },
      { id: 3, parent: 1, operator: 'debug' },
      { id: 4, parent: 2 },
      { id: 5, parent: 3, operator: 'debug', metric: 1 },
    ]);
    expect(buggyLeaves(journal).map(({ id }) => id)).toEqual(['n4']);
  });

  test('are the base too when it fails on the datasets of the stage', () => {
    const broken = sketchedNode({ id: 1, operator: 'draft' });
    expect(buggyLeaves(tree([], { base: broken })).map(({ id }) => id)).toEqual(['n1']);
    expect(buggyLeaves(tree([{ id: 2, parent: 1, operator: 'debug' }], { base: broken })).map(({ id }) => id)).toEqual(['n2']);
  });
});

describe('branches', () => {
  const names = (journal: StageJournal) => Object.fromEntries(branchesOf(journal));

  test('are the roots of a stage that starts from nothing', () => {
    const journal = tree([
      { id: 1 },
      { id: 2, metric: 1 },
      { id: 3, parent: 1, operator: 'debug', metric: 1 },
      { id: 4, parent: 3 },
      { id: 5, parent: 2 },
    ]);
    expect(names(journal)).toEqual({ n1: 'n1', n2: 'n2', n3: 'n1', n4: 'n1', n5: 'n2' });
  });

  test('are the children of the base otherwise, and the base itself', () => {
    const journal = tree(
      [
        { id: 2, parent: 1, metric: 1 },
        { id: 3, parent: 1, metric: 1 },
        { id: 4, parent: 2, metric: 1 },
        { id: 5, parent: 4, metric: 1 },
      ],
      { base },
    );
    expect(names(journal)).toEqual({ n1: 'n1', n2: 'n2', n3: 'n3', n4: 'n2', n5: 'n2' });
  });

  test('do not look for the parent that a base has in an earlier stage', () => {
    const carried = sketchedNode({ id: 5, parent: 2, metric: 1 });
    expect(names(tree([{ id: 6, parent: 5, metric: 1 }], { base: carried }))).toEqual({ n5: 'n5', n6: 'n6' });
  });
});

describe('debug depth', () => {
  test('counts debug steps in a row and starts again with any other operator', () => {
    const journal = tree([
      { id: 1 },
      { id: 2, parent: 1, operator: 'debug' },
      { id: 3, parent: 2, operator: 'debug', metric: 1 },
      { id: 4, parent: 3, operator: 'improve' },
      { id: 5, parent: 4, operator: 'debug' },
    ]);
    expect(journal.nodes.map(({ debugDepth }) => debugDepth)).toEqual([0, 1, 2, 0, 1]);
    expect(nextDebugDepth('debug', undefined)).toBe(1);
    expect(nextDebugDepth('draft', undefined)).toBe(0);
  });
});

describe('journal events', () => {
  const place = { seq: 3, stage: 'initial_implementation' } as const;
  const events = [
    { kind: 'stage_started', ...place, carried: null },
    { kind: 'base', ...place, node: base, evaluations: [evaluation('a', 0.5)] },
    { kind: 'node', ...place, node: base, plan: 'Try it.', evaluations: [evaluation('a', 'timeout')] },
    { kind: 'replica', ...place, node: nodeId(1), replica: 0, metric: null, evaluations: [] },
    { kind: 'plot', ...place, node: nodeId(1), evaluations: [evaluation('a', null)] },
    { kind: 'dropped', ...place, item: 'draft#0', reason: 'duplicate', message: 'made before' },
    { kind: 'steered', ...place, message: 'paused' },
    { kind: 'stage_finished', ...place, reason: 'node_limit', text: 'all 6 nodes', best: nodeId(1) },
  ];

  test.each(events)('of kind $kind read back as they were written', (event) => {
    const parsed = JournalEvent.parse(event);
    expect(JournalEvent.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(event);
  });

  test('are refused without a number, with a key too many and of an unknown kind', () => {
    const [started] = events;
    expect(JournalEvent.safeParse({ ...started, seq: -1 }).success).toBe(false);
    expect(JournalEvent.safeParse({ ...started, seq: undefined }).success).toBe(false);
    expect(JournalEvent.safeParse({ ...started, at: 0 }).success).toBe(false);
    expect(JournalEvent.safeParse({ ...started, kind: 'began' }).success).toBe(false);
  });
});
