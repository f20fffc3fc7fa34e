import { describe, expect, test } from 'vitest';
import type { EvaluationRecord } from '../../../src/domain/evaluation.ts';
import type { JournalEvent } from '../../../src/domain/journal.ts';
import { EvaluationId, nodeId } from '../../../src/domain/ids.ts';
import { LedgerLine } from '../../../src/domain/ledger.ts';
import { auditRun } from '../../../src/domain/run-audit.ts';
import { evaluation } from '../../support/cli-fixtures.ts';

const idOf = (number: number) => EvaluationId.parse(String(number).padStart(32, '0'));

/** An attempt of evaluation `number` in the ledger of a device; open when it has no outcome. */
function attempt(
  number: number,
  outcome: 'finished' | 'lost' | null,
  more: { run?: string; attempt?: string; at?: number } = {},
) {
  const { run = 'r', attempt: name = '1.1', at = number * 10 } = more;
  const common = { v: 1, device: 'cpu0', run, evaluation: idOf(number), attempt: name };
  const started = LedgerLine.parse({ event: 'started', ...common, at });
  return outcome === null ? [started] : [started, LedgerLine.parse({ event: 'dead', ...common, at: at + 5, outcome })];
}

function record(number: number, change: Partial<EvaluationRecord['result']> = {}): EvaluationRecord {
  const { result, ...rest } = evaluation(0.5);
  return { ...rest, result: { ...result, evaluation: idOf(number), ...change } as EvaluationRecord['result'] };
}

function plotted(...evaluations: EvaluationRecord[]): JournalEvent {
  return { kind: 'plot', seq: 0, stage: 'initial_implementation', node: nodeId(1), evaluations };
}

function audit(events: readonly JournalEvent[], lines: readonly LedgerLine[], isOver = true) {
  const { lost, doubled, overlaps, open } = auditRun({ runId: 'r', events, isOver }, lines);
  return { lost, doubled: doubled.length, overlaps: overlaps.length, open: open.length };
}

const CLEAN = { lost: [], doubled: 0, overlaps: 0, open: 0 };

describe('auditRun', () => {
  test('finds nothing wrong where every finished attempt is in the journal, and one that died was made again', () => {
    const lines = [...attempt(1, 'finished'), ...attempt(2, 'lost'), ...attempt(2, 'finished', { attempt: '2.1', at: 40 })];
    expect(audit([plotted(record(1), record(2))], lines)).toEqual(CLEAN);
  });

  test('a result that no event holds is lost when the run is over, and may still come before', () => {
    expect(audit([], attempt(1, 'finished'))).toMatchObject({ lost: [{ how: 'unused', evaluation: idOf(1) }] });
    expect(audit([], attempt(1, 'finished'), false)).toEqual(CLEAN);
  });

  test('an event with a result that no device finished is unproven, unless it came from a cache', () => {
    expect(audit([plotted(record(1))], attempt(1, 'lost'))).toMatchObject({ lost: [{ how: 'unproven', evaluation: idOf(1) }] });
    expect(audit([plotted(record(1, { cached: true }))], [])).toEqual(CLEAN);
  });

  test('an evaluation that the platform gave up is lost', () => {
    const given = record(1, { status: 'failed', reason: 'infrastructure', evaluation: null } as object);
    expect(audit([plotted(given)], [])).toMatchObject({ lost: [{ how: 'given_up' }] });
  });

  test('counts what was done twice, at once, or is not known to be dead, of this run alone', () => {
    const twice = [...attempt(1, 'finished'), ...attempt(1, 'finished', { attempt: '2.1', at: 30 })];
    expect(audit([plotted(record(1))], twice)).toMatchObject({ doubled: 1, overlaps: 0 });
    expect(
      audit(
        [],
        twice.map((line) => ({ ...line, run: 'other' as typeof line.run })),
      ),
    ).toEqual(CLEAN);
    const atOnce = [...attempt(1, null), ...attempt(2, 'finished')];
    expect(audit([plotted(record(2))], atOnce)).toEqual({ lost: [], doubled: 0, overlaps: 1, open: 1 });
  });
});
