import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  initialStall,
  isStalled,
  STALL_PATIENCE,
  StallState,
  withForcedRefresh,
  withSweep,
} from '../../vectors/reference/stall-guard.ts';

/** The guard over sweeps, forced whenever it says so; how often that was. */
function forcedBy(sweeps: readonly boolean[], patience?: number): number[] {
  let state = initialStall();
  return sweeps.map((isTaken) => {
    state = StallState.parse(JSON.parse(JSON.stringify(withSweep(state, isTaken))));
    if (isStalled(state, patience)) state = withForcedRefresh(state);
    return state.forced;
  });
}

test('workers start over after so many sweeps in a row from which nothing was taken', () => {
  expect(forcedBy([false, false, true, false, false, false, false, false, false], 3)).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 2]);
});

test('the usual patience is fifty sweeps', () => {
  const counts = forcedBy(Array.from({ length: 100 }, () => false));
  expect([counts[48], counts[49], counts[98], counts[99]]).toEqual([0, 1, 1, 2]);
  expect(STALL_PATIENCE).toBe(50);
});

test('a run from which something is taken often enough is never forced', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2), { maxLength: 20 }), (gaps) => {
      const sweeps = gaps.flatMap((gap) => [...Array.from({ length: gap }, () => false), true]);
      expect(forcedBy(sweeps, 3).at(-1) ?? 0).toBe(0);
    }),
  );
});

test('a guard that was not forced still says so', () => {
  const state = withSweep(withSweep(withSweep(initialStall(), false), false), false);
  expect([isStalled(state, 2), isStalled(withSweep(state, true), 2)]).toEqual([true, false]);
});
