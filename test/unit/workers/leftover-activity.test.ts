import { describe, expect, test } from 'vitest';
import { startedBefore } from '../../../src/adapters/process-identity.ts';
import { typeOfLoss } from '../../../src/workers/leftover-activity.ts';

const process = (startTime: number, bootId = 'today') => ({ pid: 7, startTime: String(startTime), bootId });

describe('an attempt that died with its worker', () => {
  test.each([
    ['counts against its program where the supervisor lived through it', process(900), process(1000), 'WorkerLost'],
    ['counts where there is no supervisor that could tell', null, process(1000), 'WorkerLost'],
    ['does not count where all workers died together', process(2000), process(1000), 'WorkerGone'],
    ['does not count where the machine went down', process(900, 'tomorrow'), process(1000), 'WorkerGone'],
    ['does not count where its program had not begun', process(900), null, 'WorkerGone'],
  ])('%s', (_, supervisor, shim, type) => {
    expect(typeOfLoss(shim, supervisor)).toBe(type);
  });
});

test('start times are compared as numbers, and only within one boot', () => {
  expect(startedBefore(process(999), process(1000))).toBe(true);
  expect(startedBefore(process(1000), process(1000))).toBe(false);
  expect(startedBefore(process(999, 'yesterday'), process(1000))).toBe(false);
});
