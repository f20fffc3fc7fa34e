import { describe, expect, test } from 'vitest';
import { isQuiet, waitText, type LostDevice } from '../../../src/domain/watch.ts';
import { testPlan } from '../../support/plan.ts';

const { devices } = testPlan();
const lost = (...queues: string[]): ReadonlyMap<string, LostDevice> =>
  new Map(queues.map((queue) => [queue, { queue, silentSince: '2026-01-01T00:00:00Z' }]));
const [first, second] = devices.map(({ queue }) => queue);

describe('what work waits for', () => {
  test('is a free device while one lives', () => {
    expect(waitText(devices, lost())).toBe('a free device: all 2 are in use');
    expect(waitText(devices, lost(first ?? ''))).toBe('a free device: all 1 are in use');
  });

  test('is a device at all when none lives: since when, and what to do', () => {
    expect(waitText(devices, lost(first ?? '', second ?? ''))).toBe(
      'a device: no sign of cpu0 since 2026-01-01T00:00:00Z, cpu1 since 2026-01-01T00:00:00Z; start its worker: scientist up',
    );
  });

  test('stays one short line for many devices', () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ ...devices[0], queue: `q${index}` })) as typeof devices;
    const text = waitText(many, lost(...many.map(({ queue }) => queue)));
    expect(text).toContain('and 397 more');
    expect(text.length).toBeLessThan(300);
  });
});

test('a report is quiet when it says nothing', () => {
  const quiet = { lost: [], returned: [], added: [] };
  expect(isQuiet(quiet)).toBe(true);
  expect(isQuiet({ ...quiet, returned: ['q'] })).toBe(false);
});
