import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stopReason, withReward, type Progress } from '../../vectors/reference/early-stop.ts';

const START: Progress = { best: null, stale: 0 };
const after = (rewards: readonly number[]): Progress => rewards.reduce(withReward, START);

describe('progress', () => {
  test('starts again with every better reward', () => {
    expect(after([0.1, 0.5, 0.4, 0.5])).toEqual({ best: 0.5, stale: 2 });
    expect(after([0.1, 0.5, 0.4, 0.6])).toEqual({ best: 0.6, stale: 0 });
  });

  test('does not count a gain of a billionth', () => {
    expect(after([0.5, 0.5 + 5e-10])).toEqual({ best: 0.5, stale: 1 });
    expect(after([0.5, 0.5 + 5e-9])).toEqual({ best: 0.5 + 5e-9, stale: 0 });
  });
});

describe('the reason to stop', () => {
  test('is none without limits, and none at the start', () => {
    expect(stopReason(after([1, 1, 1]), { target: null, patience: null })).toBeNull();
    expect(stopReason(START, { target: -1, patience: 1 })).toBeNull();
  });

  test('is the target, or patience, and of both the target', () => {
    expect(stopReason(after([1]), { target: 1, patience: null })).toBe('target');
    expect(stopReason(after([0.9, 0.9]), { target: 1, patience: 1 })).toBe('patience');
    expect(stopReason(after([1, 1]), { target: 1, patience: 1 })).toBe('target');
  });

  test('stays the target once it was reached', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (more, target) => {
          expect(stopReason(after([target, ...more]), { target, patience: null })).toBe('target');
        },
      ),
    );
  });
});
