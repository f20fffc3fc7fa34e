import { describe, expect, test } from 'vitest';
import { PHASES, type Phase } from '../../../../src/workers/faults/fault.ts';
import { phasesOf, type OpenWorkflow, type Sight } from '../../../../src/workers/faults/sight.ts';

function workflow(pending: readonly string[] = [], change: Partial<OpenWorkflow> = {}): OpenWorkflow {
  return { pending: pending.map((type) => ({ type, isTaken: true })), events: 20, isContinued: false, ...change };
}

function sight(change: Partial<Sight> = {}): Sight {
  return { events: 5, lastEvent: 'node', attempts: 0, run: workflow(), stage: workflow(), isOver: false, ...change };
}

const LIMIT = 50;

describe('phasesOf', () => {
  const cases: [Phase, Sight][] = [
    ['before_first_node', sight({ events: 1, lastEvent: 'stage_started', stage: workflow(['propose']) })],
    ['proposing', sight({ stage: workflow(['propose']) })],
    ['queued', sight({ stage: { ...workflow(), pending: [{ type: 'evaluate', isTaken: false }] } })],
    ['running', sight({ stage: workflow(['evaluate']), attempts: 1 })],
    ['reporting', sight({ stage: workflow(['recordEvent']) })],
    ['between_rounds', sight()],
    ['stage_change', sight({ lastEvent: 'stage_finished', stage: null })],
    ['continue_as_new', sight({ stage: workflow([], { events: LIMIT + 1 }) })],
    ['report', sight({ lastEvent: 'stage_finished', stage: null, run: workflow(['writeReport']) })],
  ];

  test('knows every phase', () => {
    expect(cases.map(([phase]) => phase)).toEqual(PHASES);
  });

  test.each(cases)('tells %s by what can be seen from outside', (phase, seen) => {
    expect(phasesOf(seen, LIMIT)).toContain(phase);
    const others = cases.filter(([other]) => other !== phase).map(([, other]) => other);
    const told = others.filter((other) => phasesOf(other, LIMIT).includes(phase));
    // Proposals are made before the first node as well.
    expect(told.length).toBeLessThanOrEqual(phase === 'proposing' ? 1 : 0);
  });

  test('tells what the files alone say when the server is away', () => {
    expect(phasesOf(sight({ run: null, stage: null, attempts: 2 }))).toEqual(['running']);
  });

  test('a stage that has just been continued as new is at continue-as-new', () => {
    expect(phasesOf(sight({ stage: workflow([], { isContinued: true, events: 3 }) }), LIMIT)).toContain('continue_as_new');
    expect(phasesOf(sight({ stage: workflow(['evaluate'], { isContinued: true, events: 3 }) }), LIMIT)).not.toContain(
      'continue_as_new',
    );
  });
});
