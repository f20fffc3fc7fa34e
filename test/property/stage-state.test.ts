import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JournalEvent } from '../../src/domain/journal.ts';
import { Outcomes } from '../../src/domain/messages.ts';
import { initialStageState, StageState, withDispatched, withOutcome, withWorkers } from '../../src/search/stage-state.ts';
import { nodeItem } from '../../src/domain/item.ts';
import { nodeId } from '../../src/domain/ids.ts';
import { worlds } from '../support/arbitrary.ts';
import { simulateStage } from '../support/simulation.ts';
import { nodeOutcome, sketchedNode } from '../support/tree.ts';

describe('the state of a stage at any moment', () => {
  test('reads back from a checkpoint as it was', () => {
    fc.assert(
      fc.property(worlds(), (drawn) => {
        let step = 0;
        const onState = (state: StageState): void => {
          if (step++ % 7 === 0) expect(StageState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
        };
        const { state } = simulateStage({ ...drawn, onState });
        expect(StageState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
      }),
      { numRuns: 50 },
    );
  });

  test('has counts that add up (T1)', () => {
    fc.assert(
      fc.property(worlds(), (drawn) => {
        const { state, given } = simulateStage(drawn);
        const { outcomes, journal } = state;
        const dropped = Object.values(Outcomes.parse(outcomes).dropped).reduce((sum, count) => sum + count, 0);
        const items = given.filter(({ kind }) => kind === 'node').length;
        expect(state.dispatched).toBe(journal.nodes.length);
        expect(outcomes).toMatchObject({ dispatched: state.dispatched, badSignals: 0 });
        expect(outcomes.good + outcomes.buggy).toBe(journal.nodes.length);
        expect(items).toBe(journal.nodes.length + dropped);
        expect(state.nextNode).toBe(100 + items);
        expect(Object.values(state.tried).reduce((sum, count) => sum + count, 0)).toBe(items);
        expect(Object.values(state.drops).reduce((sum, count) => sum + count, 0)).toBe(dropped);
        expect(state.rounds.reduce((sum, round) => sum + round, 0)).toBe(given.length);
        expect(new Set(state.exhausted).size).toBe(state.exhausted.length);
      }),
      { numRuns: 50 },
    );
  });

  test('numbers its events without a gap, parents before their children (T2, J3)', () => {
    fc.assert(
      fc.property(worlds(), (drawn) => {
        const { state, events } = simulateStage(drawn);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => 7 + index));
        expect(state.nextSeq).toBe(7 + events.length);
        expect(events.flatMap((event) => (event.kind === 'node' ? [event.node] : []))).toEqual(state.journal.nodes);
        const known = new Set<string>();
        for (const event of events) {
          expect(JournalEvent.safeParse(event).success).toBe(true);
          if (event.kind === 'base') known.add(event.node.id);
          if (event.kind !== 'node') continue;
          if (event.node.parent !== null) expect(known.has(event.node.parent)).toBe(true);
          expect(known.has(event.node.id)).toBe(false);
          known.add(event.node.id);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('keeps a round for each worker, however often their number changes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(fc.integer({ min: 1, max: 9 })), (workers, changes) => {
        let state = initialStageState({ nextNode: 1, nextSeq: 0, workers, strategy: null });
        for (const [index, count] of changes.entries()) {
          const before = state.rounds;
          state = withWorkers(withDispatched(state, 0, nodeItem('draft', null, null, index)), count);
          expect(state.rounds).toHaveLength(count);
          expect(state.rounds[0]).toBe((before[0] ?? 0) + 1);
        }
        expect(StageState.safeParse(state).success).toBe(true);
      }),
    );
  });
});

describe('the checkpoint of a long stage', () => {
  test('stays below 1.5 MiB at 2,000 nodes', ({ annotate }) => {
    let state = initialStageState({ nextNode: 1, nextSeq: 0, workers: 4, strategy: { v: 1 } });
    for (let id = 1; id <= 2000; id++) {
      const item = nodeItem('tune', id === 1 ? null : nodeId(Math.ceil(id / 2)), 'model.depth', 0);
      const isGood = id % 4 !== 0;
      const node = sketchedNode({
        id,
        ...(id > 1 && { parent: Math.ceil(id / 2) }),
        operator: 'tune',
        target: 'model.depth',
        ...(isGood && { metric: id / 2001 }),
      });
      const made =
        node.status === 'buggy'
          ? { ...node, message: 'ValueError: n_components=64 must be between 0 and min(n_samples, n_features)=30' }
          : { ...node, scores: { digits: 0.912345678901, breast_cancer: 0.934567890123, wine: 0.956789012345 } };
      state = withOutcome(withDispatched(state, id % 4, item), item, nodeOutcome(made));
    }
    const bytes = Buffer.byteLength(JSON.stringify(state));
    void annotate(`2,000 nodes: ${Math.round(bytes / 1024)} KiB, ${Math.round(bytes / 2000)} bytes a node`);
    expect(bytes).toBeLessThan(1.5 * 2 ** 20);
  });
});
