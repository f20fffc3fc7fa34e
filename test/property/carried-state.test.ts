import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nodeId } from '../../src/domain/ids.ts';
import { GoodNode } from '../../src/domain/node.ts';
import { nodeItem } from '../../src/domain/item.ts';
import { CarriedState, carriedState, resumedState } from '../../src/search/carried-state.ts';
import { initialStageState, withDispatched, withOutcome, type StageState } from '../../src/search/stage-state.ts';
import { worlds } from '../support/arbitrary.ts';
import { simulateStage } from '../support/simulation.ts';
import { droppedOutcome, nodeOutcome, refOf, sketchedNode } from '../support/tree.ts';

/** The state as the next execution has it: through JSON and the schema, as the server carries it. */
function carriedOn(state: StageState): StageState {
  return resumedState(CarriedState.parse(JSON.parse(JSON.stringify(carriedState(state)))), state.direction);
}

describe('a stage that continues as new', () => {
  test('decides as if it had not, wherever it did', () => {
    fc.assert(
      fc.property(worlds(), fc.integer({ min: 1, max: 9 }), (world, every) => {
        let step = 0;
        const carry = (state: StageState): StageState => (step++ % every === 0 ? carriedOn(state) : state);
        const whole = simulateStage(world);
        const pieces = simulateStage({ ...world, carry });
        expect(pieces.given).toEqual(whole.given);
        expect(pieces.events).toEqual(whole.events);
        expect(pieces.end).toEqual(whole.end);
        expect(carriedState(pieces.state)).toEqual(carriedState(whole.state));
      }),
      { numRuns: 200 },
    );
  });

  test('has the state that it had', () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        const { state } = simulateStage(world);
        const { journal, exhausted, rounds, outcomes, wishes, nextNode, nextSeq } = state;
        expect(carriedOn(state)).toMatchObject({ journal, exhausted, rounds, outcomes, wishes, nextNode, nextSeq });
        expect(carriedState(carriedOn(state))).toEqual(carriedState(state));
      }),
      { numRuns: 50 },
    );
  });
});

/** A stage with so many nodes, a quarter of them buggy; every work is its own, as in a deep tree. */
function grown(count: number): StageState {
  const good = sketchedNode({ id: 1, operator: 'tune', metric: 0 });
  const buggy = { ...sketchedNode({ id: 1, operator: 'tune' }), message: 'ValueError: '.padEnd(600, 'x') };
  let state = initialStageState({ direction: 'maximize', nextNode: 1, nextSeq: 0, workers: 4, strategy: { v: 1 } });
  for (let number = 1; number <= count; number++) {
    const target = `pipeline.component_${number % 40}`;
    const [id, parent] = [nodeId(number), nodeId(Math.ceil(number / 2))];
    const item = nodeItem('tune', parent, target, 0);
    const experiment = refOf(number * 7_919_191);
    const core = { id, parent, item: item.id, label: target, changed: [target], experiment };
    const scores = Object.fromEntries(
      ['digits', 'breast_cancer', 'wine'].map((name, at) => [name, Math.sqrt(number + at) / 200]),
    );
    const made = number % 4 === 0 ? { ...buggy, ...core } : { ...good, ...core, metric: 0.5 + Math.sqrt(number) / 1000, scores };
    state = withOutcome(withDispatched(state, number % 4, item), item, nodeOutcome(made));
    const spare = nodeItem('improve', id, null, 0);
    if (number % 10 === 0) state = withOutcome(withDispatched(state, 0, spare), spare, droppedOutcome(spare, 'exhausted'));
  }
  return state;
}

const bytes = (state: StageState): number => Buffer.byteLength(JSON.stringify(carriedState(state)));

describe('what a long stage carries', () => {
  test.each([
    [2000, 256 * 2 ** 10],
    [10_000, 1.5 * 2 ** 20],
  ])('is small at %i nodes', (count, most) => {
    const size = bytes(grown(count));
    expect(size).toBeLessThan(most);
  });

  test('does not grow with the number of datasets, of changed keys, or the length of messages', () => {
    const small = grown(1000);
    const scores = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`dataset ${at}`, Math.sqrt(at)]));
    const node = GoodNode.parse({ ...sketchedNode({ id: 1001, parent: 1, metric: 0.1 }), scores });
    const large = withOutcome(small, null, nodeOutcome(node));
    expect(bytes(large) - bytes(small)).toBeLessThan(100);
  });

  test('is refused before the server would refuse it', () => {
    const state = grown(10);
    const nodes = Array.from({ length: 60_000 }, () => state.journal.nodes[0] ?? expect.unreachable());
    expect(() => carriedState({ ...state, journal: { ...state.journal, nodes } })).toThrow(
      expect.objectContaining({ type: 'StateTooLarge' }),
    );
  });
});

describe('a state that release 0.1.0 carried', () => {
  const base = sketchedNode({ id: 1, operator: 'draft', metric: 0.5 });
  const nodes = [
    sketchedNode({ id: 2, parent: 1, operator: 'tune', target: 'x', metric: 0.7 }),
    sketchedNode({ id: 3, parent: 1, operator: 'tune', target: 'y', metric: 0.6 }),
    sketchedNode({ id: 4, parent: 2, operator: 'tune', target: 'x', reason: 'timeout' }),
  ];
  const old = {
    v: 1,
    journal: { base, nodes, replicas: { n2: { '0': 0.7, '1': null } }, plotted: ['n2'] },
    strategy: { v: 1 },
    dispatched: 3,
    nextNode: 6,
    nextSeq: 9,
    tried: { 'tune:n1:x': 1, 'tune:n1:y': 1, 'tune:n2:x': 2 },
    drops: { 'tune:n2:x': 1 },
    exhausted: ['debug:n4:'],
    activeKeys: ['x', 'y'],
    rounds: [2, 2],
    outcomes: { dispatched: 3, good: 2, buggy: 1, replicas: 2, plots: 1, dropped: { duplicate: 1 }, badSignals: 0 },
  };

  test.each(['maximize', 'minimize'] as const)('is read, and carried on as today (%s)', (direction) => {
    const state = resumedState(CarriedState.parse(old), direction);
    const best = direction === 'maximize' ? ['n2', 'n3'] : ['n3', 'n2'];
    expect(state.journal.records.map(({ id }) => String(id))).toEqual(best);
    expect(state.journal.records).toContainEqual(nodes[0]);
    expect(state).toMatchObject({ direction, dispatched: 3, nextNode: 6, nextSeq: 9, exhausted: ['debug:n4:'], rounds: [2, 2] });
    expect(state.journal).toMatchObject({ base, replicas: old.journal.replicas, plotted: ['n2'] });
    const { nodes: rows, ...rest } = z.object({ nodes: z.any() }).loose().parse(carriedState(state).journal);
    expect(rest).toMatchObject({ base });
    expect(rows).toBeDefined();
    expect(carriedState(state)).toMatchObject({
      v: 2,
      tried: { 'tune:x': [1, 1, 2, 2], 'tune:y': [1, 1] },
      drops: { 'tune:x': [2, 1] },
    });
    expect(carriedState(carriedOn(state))).toEqual(carriedState(state));
  });

  test('is refused when it is of a release to come', () => {
    expect(CarriedState.safeParse({ ...old, v: 3 }).success).toBe(false);
  });
});
