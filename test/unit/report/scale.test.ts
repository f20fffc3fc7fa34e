import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearScale, pixel, ticks } from '../../../src/report/scale.ts';

describe('a scale', () => {
  it('is linear between its ends, with a margin', () => {
    const x = linearScale([0, 10], [0, 116]);
    expect(x(0)).toBeCloseTo(8);
    expect(x(10)).toBeCloseTo(108);
    expect(x(5)).toBeCloseTo(58);
    expect(x.domain).toEqual([expect.closeTo(-0.8), expect.closeTo(10.8)]);
  });

  it('may run from the bottom up', () => {
    const y = linearScale([0, 1], [100, 0]);
    expect(y(0)).toBeGreaterThan(y(1));
  });

  it('puts a single value in the middle', () => {
    expect(linearScale([0.9], [0, 100])(0.9)).toBeCloseTo(50);
    expect(linearScale([0], [0, 100])(0)).toBeCloseTo(50);
  });

  it('puts values outside on the ends', () => {
    const x = linearScale([0, 1], [0, 100]);
    expect([x(-99), x(99)]).toEqual([0, 100]);
  });

  it('spans the widest range of numbers', () => {
    const x = linearScale([-Number.MAX_VALUE, Number.MAX_VALUE], [0, 116]);
    expect([x(-Number.MAX_VALUE), x(0), x(Number.MAX_VALUE)].map(Math.round)).toEqual([8, 58, 108]);
  });

  it('gives a place within its ends for every finite number', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), value, (values, at) => {
        const x = linearScale(values, [10, 90]);
        expect(x(at)).toBeGreaterThanOrEqual(10);
        expect(x(at)).toBeLessThanOrEqual(90);
        expect(ticks(x.domain, 5).every(Number.isFinite)).toBe(true);
        expect(ticks(x.domain, 5).length).toBeLessThan(20);
      }),
    );
  });
});

describe('ticks', () => {
  it('are round numbers within the domain', () => {
    expect(ticks([0.93, 0.972], 4)).toEqual([0.94, 0.96]);
    expect(ticks([-1, 11], 5)).toEqual([0, 5, 10]);
    expect(ticks([0.1, 0.7], 6)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  });

  it('are none for a domain without width', () => {
    expect(ticks([1, 1], 4)).toEqual([]);
  });
});

it('prints a pixel with one decimal at most', () => {
  expect([pixel(1.26), pixel(2), pixel(-0.04)]).toEqual(['1.3', '2', '0']);
});
