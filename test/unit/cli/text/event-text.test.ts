import { describe, expect, it } from 'vitest';
import { eventText, oneLine } from '../../../../src/cli/text/event-text.ts';
import type { JournalEvent } from '../../../../src/domain/journal.ts';
import { ItemId, nodeId } from '../../../../src/domain/ids.ts';
import { ACCURACY, buggy, good, landed, progressOf, replica, STAGE, started } from '../../../support/cli-fixtures.ts';

/** The lines of a journal, each with the progress of its time. */
function told(events: readonly JournalEvent[]): string[] {
  return events.map((event, index) => eventText(event, progressOf(events.slice(0, index + 1))));
}

describe('eventText', () => {
  it('shows id, operator, label, status, metric, cost and device of a node, and marks a new best', () => {
    const [, line] = told([started(0), landed(1, good(1, 0.97))]);
    expect(line).toMatch(/^\* n1 +draft +knn +good +accuracy 0\.9700 +1\.5 s on cpu0$/);
  });

  it('does not mark a node that is no better, and compares it with its parent', () => {
    const events = [
      started(0),
      landed(1, good(1, 0.97)),
      landed(2, good(2, 0.96, { operator: 'improve', parent: nodeId(1), label: 'depth' })),
    ];
    expect(told(events)[2]).toMatch(/^ {2}n2 +improve +depth \(n1\) +good +accuracy 0\.9600 +-0\.0100 on n1/);
  });

  it('signs a gain by what is better, not by what is larger', () => {
    const metric = { ...ACCURACY, name: 'loss', direction: 'minimize' as const };
    const events = [started(0), landed(1, good(1, 2)), landed(2, good(2, 1.5, { parent: nodeId(1) }))];
    const event = events[2];
    expect(event && eventText(event, progressOf(events, metric))).toMatch(/^\* n2 .*loss 1\.5000 {2}\+0\.5000 on n1/);
  });

  it('shows reason and message of a buggy node in one line', () => {
    const [, line] = told([started(0), landed(1, buggy(1, { reason: 'exception', message: 'ValueError: x\n  at\u001b[31m y' }))]);
    expect(line).toMatch(/^ {2}n1 +draft +knn +buggy +exception: ValueError: x at \[31m y$/);
  });

  it('explains a reason that comes without a message', () => {
    const [, line] = told([started(0), landed(1, buggy(1, { reason: 'timeout', message: '' }))]);
    expect(line).toContain('timeout: the program ran longer than exec.timeout');
  });

  it('tells start and end of a stage with its goal, reason and best node', () => {
    const end: JournalEvent = {
      kind: 'stage_finished',
      seq: 2,
      stage: STAGE,
      reason: 'node_limit',
      text: '1 of 1 nodes',
      best: nodeId(1),
    };
    const lines = told([started(0), landed(1, good(1, 0.97)), end]);
    expect(lines[0]).toBe('stage 1/4 initial_implementation: a first working version on one dataset');
    expect(lines[2]).toBe('stage 1/4 initial_implementation ended: node_limit, 1 of 1 nodes; best n1 accuracy 0.9700');
  });

  it('says that a stage found nothing', () => {
    const end: JournalEvent = {
      kind: 'stage_finished',
      seq: 1,
      stage: STAGE,
      reason: 'exhausted',
      text: 'nothing left',
      best: null,
    };
    expect(told([started(0), end])[1]).toContain('no good node');
  });

  it('tells the carried node with its id and its values on the new stage', () => {
    const base: JournalEvent = { kind: 'base', seq: 1, stage: STAGE, node: good(1, 0.9), evaluations: [] };
    const lines = told([started(0, nodeId(1)), base]);
    expect(lines[0]).toMatch(/, from n1$/);
    expect(lines[1]).toMatch(/n1 +carried .*accuracy 0\.9000/);
  });

  it('tells replicas by seed, failed ones too', () => {
    const lines = told([started(0), landed(1, good(1, 0.97)), replica(2, nodeId(1), 0.96), replica(3, nodeId(1), null)]);
    expect(lines[2]).toMatch(/n1 +replica +seed 1000002 +good +accuracy 0\.9600/);
    expect(lines[3]).toMatch(/n1 +replica +seed 1000003 +failed/);
  });

  it('tells dropped items, messages of people, and figures', () => {
    const lines = told([
      started(0),
      { kind: 'dropped', seq: 1, stage: STAGE, item: ItemId.parse('draft#1'), reason: 'duplicate', message: 'same as n1' },
      { kind: 'steered', seq: 2, stage: STAGE, message: 'paused: lunch' },
      { kind: 'plot', seq: 3, stage: STAGE, node: nodeId(1), evaluations: [] },
    ]);
    expect(lines.slice(1)).toEqual([
      '  -     dropped  draft#1: duplicate, same as n1',
      '  -     steered  paused: lunch',
      '  n1    plot     no figure',
    ]);
  });
});

it('takes line breaks and escape codes out of a text', () => {
  expect(oneLine(' a\r\n\tb\u0007\u001b[2J c ')).toBe('a b [2J c');
});
