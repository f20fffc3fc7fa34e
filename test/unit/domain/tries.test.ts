import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TRIES, nextStep, TRIES_PER_DEVICE, type Try, type TryEnd } from '../../../src/domain/tries.ts';

const limits = { maxDispatches: 3, devices: 2 };
const tries = (...list: [device: string, ended: TryEnd][]): Try[] => list.map(([device, ended]) => ({ device, ended }));
const anyTry = fc.record<Try>({
  device: fc.constantFrom('a', 'b', 'c'),
  ended: fc.constantFrom('interrupted', 'stopped', 'lost', 'failed'),
});

describe('after a try without a result', () => {
  test('the same device may have it once more, then another one', () => {
    expect(nextStep(tries(['a', 'failed']), limits)).toMatchObject({
      kind: 'again',
      avoid: new Set(),
      ratherNot: new Set(['a']),
    });
    expect(nextStep(tries(['a', 'failed'], ['a', 'lost']), limits)).toMatchObject({ kind: 'again', avoid: new Set(['a']) });
  });

  test('the pauses grow with what failed; an interruption is followed at once', () => {
    const pauses = [1, 2, 3].map((count) =>
      nextStep(tries(...Array.from({ length: count }, (): [string, TryEnd] => ['a', 'failed'])), limits),
    );
    expect(pauses.map((step) => step.kind === 'again' && step.pauseMs)).toEqual([1000, 2000, 4000]);
    expect(nextStep(tries(['a', 'failed'], ['a', 'interrupted']), limits)).toMatchObject({ pauseMs: 0 });
  });

  test('what no device can mend is given up at once', () => {
    expect(nextStep(tries(['a', 'final']), limits)).toEqual({ kind: 'give up', reason: 'infrastructure' });
  });

  test('failures of the machine are given up as infrastructure after two tries for each dispatch', () => {
    const failed = (count: number): Try[] => Array.from({ length: count }, () => ({ device: 'a', ended: 'failed' as const }));
    expect(nextStep(failed(5), limits).kind).toBe('again');
    expect(nextStep(failed(6), limits)).toEqual({ kind: 'give up', reason: 'infrastructure' });
  });
});

describe('poison', () => {
  const twice = (device: string): [string, TryEnd][] => [
    [device, 'lost'],
    [device, 'lost'],
  ];

  test('is what lost its worker twice on each of two devices', () => {
    expect(nextStep(tries(...twice('a'), ['b', 'lost']), limits).kind).toBe('again');
    expect(nextStep(tries(...twice('a'), ...twice('b')), limits)).toEqual({ kind: 'give up', reason: 'poison' });
  });

  test('needs a second device where the run has one, and four tries where it has not', () => {
    expect(nextStep(tries(...twice('a'), ...twice('a')), limits).kind).toBe('again');
    expect(nextStep(tries(...twice('a'), ...twice('a')), { ...limits, devices: 1 })).toMatchObject({ reason: 'poison' });
  });

  test('is never what was interrupted, stopped or failed by the machine, however often', () => {
    fc.assert(
      fc.property(fc.array(anyTry, { minLength: 1, maxLength: 60 }), (list) => {
        const innocent = list.filter(({ ended }) => ended !== 'lost');
        fc.pre(innocent.length > 0);
        const next = nextStep(innocent, limits);
        expect(next.kind === 'give up' && next.reason === 'poison').toBe(false);
      }),
    );
  });
});

test('whatever happens, tries end, and only those that count bring the end nearer', () => {
  fc.assert(
    fc.property(fc.array(anyTry, { minLength: 1, maxLength: 60 }), (list) => {
      const counted = list.filter(({ ended }) => ended === 'lost' || ended === 'failed').length;
      const next = nextStep(list, limits);
      if (counted < 2 * TRIES_PER_DEVICE) expect(next.kind).toBe('again');
      if (counted >= TRIES_PER_DEVICE * limits.maxDispatches) expect(next.kind).toBe('give up');
    }),
  );
  const endless = Array.from({ length: MAX_TRIES }, () => ({ device: 'a', ended: 'stopped' as const }));
  expect(nextStep(endless.slice(1), limits).kind).toBe('again');
  expect(nextStep(endless, limits)).toEqual({ kind: 'give up', reason: 'infrastructure' });
});
