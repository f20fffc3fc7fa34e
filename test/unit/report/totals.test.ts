import { describe, expect, test } from 'vitest';
import { noOutcomes, Outcomes } from '../../../src/domain/messages.ts';
import { totalOutcomes } from '../../../src/report/totals.ts';

const first = Outcomes.parse({
  ...noOutcomes(),
  dispatched: 5,
  good: 3,
  buggy: 2,
  dropped: { duplicate: 1, stale: 2 },
  committed: 2,
  cached: 1,
  reasons: { timeout: 1, exception: 1 },
  badSignals: 1,
});
const second = Outcomes.parse({
  ...noOutcomes(),
  dispatched: 2,
  good: 1,
  buggy: 1,
  replicas: 4,
  plots: 2,
  dropped: { stale: 1, exhausted: 1 },
  committed: 1,
  cached: 4,
  reasons: { timeout: 1 },
});

describe('the totals of a run', () => {
  test('are the sums over its stages, dropped items by reason', () => {
    expect(totalOutcomes([{ outcomes: first }, { outcomes: second }])).toEqual({
      dispatched: 7,
      good: 4,
      buggy: 3,
      replicas: 4,
      plots: 2,
      dropped: { duplicate: 1, stale: 3, exhausted: 1 },
      committed: 3,
      cached: 5,
      reasons: { timeout: 2, exception: 1 },
      badSignals: 1,
    });
  });

  test('are nothing without stages, and a stage’s own counts when there is one', () => {
    expect(totalOutcomes([])).toEqual(noOutcomes());
    expect(totalOutcomes([{ outcomes: first }])).toEqual(first);
  });

  test('fit the schema of counts and change none of the stages’', () => {
    const before = structuredClone(first);
    expect(Outcomes.parse(totalOutcomes([{ outcomes: first }, { outcomes: first }])).good).toBe(6);
    expect(first).toEqual(before);
  });
});
