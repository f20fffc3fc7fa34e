import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JournalEvent } from '../../src/domain/journal.ts';
import { Outcomes } from '../../src/domain/messages.ts';
import { initialStageState, withDispatched, withWorkers } from '../../src/search/stage-state.ts';
import { nodeItem } from '../../src/domain/item.ts';
import { stageNode } from '../../src/domain/node.ts';
import { tallied, type Tally } from '../../src/search/tally.ts';
import { worlds } from '../support/arbitrary.ts';
import { simulateStage } from '../support/simulation.ts';

const total = (tally: Tally): number => tallied(tally).reduce((sum, [, times]) => sum + times, 0);

describe('the state of a stage at any moment', () => {
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
        expect(total(state.tried)).toBe(items);
        expect(total(state.drops)).toBe(dropped);
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
        expect(events.flatMap((event) => (event.kind === 'node' ? [stageNode(event.node)] : []))).toEqual(state.journal.nodes);
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
        let state = initialStageState({ direction: 'maximize', nextNode: 1, nextSeq: 0, workers, strategy: null });
        for (const [index, count] of changes.entries()) {
          const before = state.rounds;
          state = withWorkers(withDispatched(state, 0, nodeItem('draft', null, null, index)), count);
          expect(state.rounds).toHaveLength(count);
          expect(state.rounds[0]).toBe((before[0] ?? 0) + 1);
        }
      }),
    );
  });
});
