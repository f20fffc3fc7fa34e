import { describe, expect, test } from 'vitest';
import type { DropReason } from '../../../src/domain/failure.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem, replicateItem, type NodeItem } from '../../../src/domain/item.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import {
  gainOf,
  initialStageState,
  outcomeEvent,
  withDispatched,
  withNextSeq,
  withOutcome,
  withWorkers,
} from '../../../src/search/stage-state.ts';
import { tallied } from '../../../src/search/tally.ts';
import { droppedOutcome, evaluation, nodeOutcome, sketchedNode } from '../../support/tree.ts';

const start = { direction: 'maximize' as const, nextNode: 4, nextSeq: 10, workers: 3, strategy: { v: 1 } };
const fresh = initialStageState(start);
const draft = (ordinal: number) => nodeItem('draft', null, null, ordinal);
const good = sketchedNode({ id: 4, metric: 0.5 });
const buggy = sketchedNode({ id: 5 });

/** The state after items were given out and dropped one after the other. */
const afterDrops = (items: readonly NodeItem[], reason: DropReason) =>
  items.reduce((state, item) => withOutcome(withDispatched(state, 0, item), item, droppedOutcome(item, reason)), fresh);

describe('a stage that begins', () => {
  test('has nothing yet and goes on with the run’s numbers', () => {
    expect(fresh).toMatchObject({
      dispatched: 0,
      nextNode: 4,
      nextSeq: 10,
      exhausted: [],
      activeKeys: [],
      rounds: [0, 0, 0],
    });
    expect(fresh.journal).toEqual({ base: null, nodes: [], records: [], replicas: {}, plotted: [] });
    expect(tallied(fresh.tried)).toEqual([]);
  });

  test('refuses a strategy state that is no JSON', () => {
    expect(() => initialStageState({ ...start, strategy: { at: new Date(0) } })).toThrow();
    expect(() => initialStageState({ ...start, strategy: Number.NaN })).toThrow();
  });
});

describe('giving out', () => {
  test('a node counts it, its work, its number and its worker’s round', () => {
    const once = withDispatched(fresh, 1, draft(0));
    expect(once).toMatchObject({ dispatched: 1, nextNode: 5, nextSeq: 10, rounds: [0, 1, 0] });
    expect(tallied(once.tried)).toEqual([['draft::', 1]]);
    expect(once.outcomes.dispatched).toBe(1);
    const twice = withDispatched(once, 2, draft(1));
    expect(twice).toMatchObject({ dispatched: 2, nextNode: 6, rounds: [0, 1, 1] });
    expect(tallied(twice.tried)).toEqual([['draft::', 2]]);
  });

  test('a replica or a figure counts the round only', () => {
    for (const item of [replicateItem(nodeId(4), 0), plotItem(nodeId(4))])
      expect(withDispatched(fresh, 0, item)).toEqual({ ...fresh, rounds: [1, 0, 0] });
  });

  test('changes nothing of the state before', () => {
    const before = structuredClone(fresh);
    withOutcome(withDispatched(fresh, 0, draft(0)), draft(0), nodeOutcome(good));
    expect(fresh).toEqual(before);
  });
});

describe('an outcome', () => {
  test('of a node enters it behind the others and counts it by status', () => {
    const state = withOutcome(withOutcome(fresh, draft(1), nodeOutcome(buggy)), draft(0), nodeOutcome(good));
    expect(state.journal.nodes.map(({ id }) => id)).toEqual(['n5', 'n4']);
    expect(state.outcomes).toMatchObject({ good: 1, buggy: 1, dropped: {} });
    expect(state.nextSeq).toBe(12);
  });

  test('of the base is entered as base and counts as no node', () => {
    const state = withOutcome(fresh, null, { kind: 'base', node: good, evaluations: [] });
    expect(state.journal).toMatchObject({ base: good, nodes: [] });
    expect(state).toMatchObject({ nextSeq: 11, dispatched: 0, outcomes: fresh.outcomes });
  });

  test('of replicas is kept by node and seed, failed ones too', () => {
    const replica = (node: number, number: number, metric: number | null) => ({
      kind: 'replica' as const,
      node: nodeId(node),
      replica: number,
      metric,
      evaluations: [],
    });
    const state = [replica(4, 1, 0.6), replica(4, 0, null), replica(5, 0, 0.1)].reduce(
      (before, outcome) => withOutcome(before, replicateItem(outcome.node, outcome.replica), outcome),
      fresh,
    );
    expect(state.journal.replicas).toEqual({ n4: { '0': null, '1': 0.6 }, n5: { '0': 0.1 } });
    expect(state.outcomes.replicas).toBe(3);
  });

  test('of a plot is remembered, whether it worked or not', () => {
    const state = withOutcome(fresh, plotItem(nodeId(4)), {
      kind: 'plot',
      node: nodeId(4),
      evaluations: [evaluation('a', 'exception')],
    });
    expect(state.journal.plotted).toEqual(['n4']);
    expect(state.outcomes.plots).toBe(1);
  });

  test('is written under the number of the state before it', () => {
    const event = outcomeEvent(fresh, 'initial_implementation', nodeOutcome(good));
    expect(JournalEvent.parse(event)).toMatchObject({ kind: 'node', seq: 10, stage: 'initial_implementation', node: good });
    expect(withNextSeq(fresh)).toEqual({ ...fresh, nextSeq: 11 });
  });
});

describe('a dropped item', () => {
  test('gives its place in the stage back, but neither its number nor its ordinal', () => {
    const state = afterDrops([draft(0)], 'duplicate');
    expect(state).toMatchObject({ dispatched: 0, nextNode: 5, nextSeq: 11, exhausted: [] });
    expect(tallied(state.tried)).toEqual([['draft::', 1]]);
    expect(state.outcomes).toMatchObject({ dispatched: 0, dropped: { duplicate: 1 } });
    expect(state.journal).toEqual(fresh.journal);
  });

  test('ends its work when it was dropped three times', () => {
    const items = [draft(0), draft(1), draft(2)];
    expect(afterDrops(items.slice(0, 2), 'duplicate').exhausted).toEqual([]);
    expect(afterDrops(items, 'duplicate').exhausted).toEqual(['draft::']);
    expect(afterDrops([...items, draft(3)], 'duplicate').exhausted).toEqual(['draft::']);
    expect(afterDrops(items, 'duplicate').outcomes.dropped).toEqual({ duplicate: 3 });
  });

  test('does not count work that did make nodes as dropped', () => {
    let state = fresh;
    for (const ordinal of [0, 1, 2, 3])
      state = withOutcome(withDispatched(state, 0, draft(ordinal)), draft(ordinal), nodeOutcome(good));
    state = withOutcome(withDispatched(state, 0, draft(4)), draft(4), droppedOutcome(draft(4), 'duplicate'));
    expect(state).toMatchObject({ dispatched: 4, exhausted: [] });
    expect(tallied(state.drops)).toEqual([['draft::', 1]]);
  });

  test('ends its work at once when there is nothing left to try', () => {
    const tuning = nodeItem('tune', nodeId(4), 'x', 0);
    expect(afterDrops([tuning], 'exhausted').exhausted).toEqual(['tune:n4:x']);
    expect(afterDrops([tuning, nodeItem('tune', nodeId(4), 'x', 1)], 'exhausted').exhausted).toEqual(['tune:n4:x']);
  });

  test('does not touch other work', () => {
    const x = nodeItem('tune', nodeId(4), 'x', 0);
    const y = nodeItem('tune', nodeId(4), 'y', 0);
    expect(afterDrops([x, y, x], 'stale').exhausted).toEqual([]);
    expect(afterDrops([x, y, x, x], 'stale').exhausted).toEqual(['tune:n4:x']);
  });
});

describe('another number of workers', () => {
  test('keeps the rounds of those that stay and starts the new ones at 0', () => {
    const state = { ...fresh, rounds: [3, 1, 2] };
    expect(withWorkers(state, 2).rounds).toEqual([3, 1]);
    expect(withWorkers(state, 5).rounds).toEqual([3, 1, 2, 0, 0]);
    expect(withWorkers(state, 3)).toEqual(state);
  });
});

describe('the gain of a node', () => {
  const parent = sketchedNode({ id: 4, metric: 0.5 });
  const state = withOutcome(fresh, draft(0), nodeOutcome(parent));
  const child = sketchedNode({ id: 6, parent: 4, metric: 0.75 });

  test('is held against its parent, positive when it is better', () => {
    expect(gainOf(state, nodeOutcome(child), 'maximize')).toBe(0.25);
    expect(gainOf(state, nodeOutcome(child), 'minimize')).toBe(-0.25);
  });

  test('is held against the base where that is the parent', () => {
    const stage = withOutcome(fresh, null, { kind: 'base', node: parent, evaluations: [] });
    expect(gainOf(stage, nodeOutcome(child), 'maximize')).toBe(0.25);
  });

  test('is unknown for a root, a failed node, a child of a failed one, and what is no node', () => {
    const withBuggy = withOutcome(state, draft(1), nodeOutcome(buggy));
    expect(gainOf(state, nodeOutcome(parent), 'maximize')).toBeNull();
    expect(gainOf(state, nodeOutcome(sketchedNode({ id: 7, parent: 4 })), 'maximize')).toBeNull();
    expect(
      gainOf(withBuggy, nodeOutcome(sketchedNode({ id: 7, parent: 5, operator: 'debug', metric: 1 })), 'maximize'),
    ).toBeNull();
    expect(gainOf(state, droppedOutcome(draft(2), 'duplicate'), 'maximize')).toBeNull();
    expect(gainOf(state, { kind: 'replica', node: nodeId(4), replica: 0, metric: 1, evaluations: [] }, 'maximize')).toBeNull();
  });
});
