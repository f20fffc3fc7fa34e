import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditLedger, LedgerLine } from '../../../src/domain/ledger.ts';

interface Entry {
  readonly device?: string;
  readonly run?: string;
  readonly evaluation?: number;
  readonly attempt?: string;
  readonly at: number;
  readonly dead?: 'finished' | 'cancelled' | 'lost';
}

function line({ device = 'cpu0', run = 'r', evaluation = 1, attempt = '1.1', at, dead }: Entry): LedgerLine {
  const id = String(evaluation).padStart(32, '0');
  const common = { v: 1, device, run, evaluation: id, attempt, at };
  return LedgerLine.parse(dead === undefined ? { event: 'started', ...common } : { event: 'dead', outcome: dead, ...common });
}

const audit = (...entries: Entry[]) => {
  const { started, finished, open, overlaps, doubled } = auditLedger(entries.map(line));
  return { started, finished, open: open.length, overlaps: overlaps.length, doubled: doubled.length };
};

describe('auditLedger', () => {
  test('finds nothing wrong with one attempt after the other', () => {
    const entries = [1, 2, 3].flatMap((evaluation) => [
      { evaluation, at: evaluation * 10 },
      { evaluation, at: evaluation * 10 + 9, dead: 'finished' as const },
    ]);
    expect(audit(...entries)).toEqual({ started: 3, finished: 3, open: 0, overlaps: 0, doubled: 0 });
  });

  test('an attempt that was lost and run again is not doubled', () => {
    expect(
      audit({ at: 0 }, { at: 5, dead: 'lost' }, { attempt: '1.2', at: 6 }, { attempt: '1.2', at: 9, dead: 'finished' }),
    ).toEqual({ started: 2, finished: 1, open: 0, overlaps: 0, doubled: 0 });
  });

  test('two finished attempts of one evaluation are doubled, on whatever device', () => {
    expect(
      audit({ at: 0 }, { at: 5, dead: 'finished' }, { device: 'cpu1', at: 6 }, { device: 'cpu1', at: 9, dead: 'finished' }),
    ).toMatchObject({ overlaps: 0, doubled: 1 });
  });

  test('two attempts of one evaluation alive at once are doubled, even when neither finished', () => {
    expect(
      audit({ at: 0 }, { device: 'cpu1', at: 3 }, { at: 5, dead: 'cancelled' }, { device: 'cpu1', at: 9, dead: 'lost' }),
    ).toMatchObject({ overlaps: 0, doubled: 1 });
  });

  test('the same evaluation in two runs is not doubled', () => {
    expect(
      audit({ at: 0 }, { at: 5, dead: 'finished' }, { run: 's', at: 6 }, { run: 's', at: 9, dead: 'finished' }),
    ).toMatchObject({ finished: 2, doubled: 0 });
  });

  test('two attempts at once on one device overlap, by the order of its lines and not by the clock', () => {
    expect(
      audit({ at: 50 }, { evaluation: 2, at: 10 }, { evaluation: 2, at: 11, dead: 'finished' }, { at: 60, dead: 'finished' }),
    ).toEqual({
      started: 2,
      finished: 2,
      open: 0,
      overlaps: 1,
      doubled: 0,
    });
  });

  test('an attempt that is not known to be dead is open, and overlaps with what follows', () => {
    expect(audit({ at: 0 }, { evaluation: 2, at: 10 })).toMatchObject({ started: 2, open: 2, overlaps: 1 });
  });

  test('a death without a start changes nothing', () => {
    expect(audit({ at: 0, dead: 'finished' })).toEqual({ started: 0, finished: 0, open: 0, overlaps: 0, doubled: 0 });
  });

  test('finds exactly the pairs that a plain comparison of all pairs finds', () => {
    const attempts = fc.array(
      fc.record({
        device: fc.constantFrom('cpu0', 'cpu1'),
        evaluation: fc.integer({ min: 1, max: 4 }),
        from: fc.nat(50),
        for: fc.integer({ min: 1, max: 20 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(attempts, (list) => {
        const named = list.map((entry, index) => ({ ...entry, from: entry.from + index / 100, attempt: `1.${index}` }));
        const events = named.flatMap(({ device, evaluation, attempt, from, for: ms }) => [
          { device, evaluation, attempt, at: Math.round(from * 100) },
          { device, evaluation, attempt, at: Math.round((from + ms) * 100), dead: 'lost' as const },
        ]);
        const pairs = named.flatMap((a, index) => named.slice(index + 1).map((b) => [a, b] as const));
        const together = pairs.filter(([a, b]) => a.from < b.from + b.for && b.from < a.from + a.for);
        const sorted = events.sort((a, b) => a.at - b.at);
        expect(audit(...sorted)).toMatchObject({
          overlaps: together.filter(([a, b]) => a.device === b.device).length,
          doubled: together.filter(([a, b]) => a.evaluation === b.evaluation).length,
        });
      }),
    );
  });
});
