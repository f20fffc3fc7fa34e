import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lptSchedule } from '../../vectors/reference/lpt.ts';

const weights = fc.array(fc.nat(50), { maxLength: 12 });
const workers = fc.integer({ min: 1, max: 5 });

describe('the schedule of the longest first', () => {
  test('gives the longest piece to the first worker, and each next to the one with the least', () => {
    expect(lptSchedule([1, 10, 4], 2)).toEqual({ assignment: [1, 0, 1], makespan: 10, dealtMakespan: 10 });
    expect(lptSchedule([5, 4, 3, 3, 3], 2)).toEqual({ assignment: [0, 1, 1, 0, 1], makespan: 10, dealtMakespan: 11 });
  });

  test('takes equal pieces in their order', () => {
    expect(lptSchedule([2, 2, 2, 2], 3).assignment).toEqual([0, 1, 2, 0]);
  });

  test('gives every piece to one worker, and is done when the last of them is', () => {
    fc.assert(
      fc.property(weights, workers, (pieces, count) => {
        const { assignment, makespan } = lptSchedule(pieces, count);
        const loads = Array.from({ length: count }, () => 0);
        for (const [place, worker] of assignment.entries()) loads[worker] = (loads[worker] ?? Number.NaN) + (pieces[place] ?? 0);
        expect(assignment).toHaveLength(pieces.length);
        expect(Math.max(...loads)).toBe(makespan);
      }),
    );
  });

  test('is never longer than its known bound', () => {
    fc.assert(
      fc.property(weights, workers, (pieces, count) => {
        const total = pieces.reduce((sum, weight) => sum + weight, 0);
        const least = Math.max(0, ...pieces, total / count);
        const { makespan, dealtMakespan } = lptSchedule(pieces, count);
        expect(makespan).toBeGreaterThanOrEqual(least - 1e-9);
        expect(makespan).toBeLessThanOrEqual(total / count + Math.max(0, ...pieces) * (1 - 1 / count) + 1e-9);
        expect(dealtMakespan).toBeGreaterThanOrEqual(least - 1e-9);
      }),
    );
  });
});
