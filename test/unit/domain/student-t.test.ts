import { describe, expect, it } from 'vitest';
import { tQuantile } from '../../../src/domain/student-t.ts';

/** Printed table of the 97.5 % points (two-sided 95 %), three decimals. */
const UPPER_975: readonly (readonly [number, number])[] = [
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [5, 2.571],
  [6, 2.447],
  [7, 2.365],
  [8, 2.306],
  [9, 2.262],
  [10, 2.228],
  [15, 2.131],
  [20, 2.086],
  [30, 2.042],
  [60, 2.0],
  [120, 1.98],
];

const OTHER: readonly (readonly [number, number, number])[] = [
  [0.9, 1, 3.078],
  [0.95, 1, 6.314],
  [0.995, 1, 63.657],
  [0.995, 2, 9.925],
  [0.99, 5, 3.365],
  [0.95, 10, 1.812],
  [0.995, 30, 2.75],
];

describe('the quantile of Student’s t', () => {
  it.each(UPPER_975)('is the table’s 97.5 % point for %i degrees of freedom', (degrees, value) => {
    expect(tQuantile(0.975, degrees)).toBeCloseTo(value, 3);
  });

  it.each(OTHER)('is the table’s value at %f for %i degrees of freedom', (p, degrees, value) => {
    expect(tQuantile(p, degrees)).toBeCloseTo(value, 3);
  });

  it('has its closed forms to nine digits', () => {
    for (const p of [0.6, 0.9, 0.975, 0.999]) {
      expect(tQuantile(p, 1)).toBeCloseTo(Math.tan(Math.PI * (p - 0.5)), 6);
      expect(tQuantile(p, 2)).toBeCloseTo((2 * p - 1) / Math.sqrt(2 * p * (1 - p)), 9);
    }
  });

  it('lies between its neighbours for degrees of freedom that are not whole', () => {
    const between = tQuantile(0.975, 3.5);
    expect(between).toBeLessThan(tQuantile(0.975, 3));
    expect(between).toBeGreaterThan(tQuantile(0.975, 4));
    expect(tQuantile(0.975, 0.5)).toBeGreaterThan(12.7);
  });

  it('comes to the normal quantile for many degrees of freedom', () => {
    expect(tQuantile(0.975, 1e6)).toBeCloseTo(1.959964, 4);
  });

  it('refuses arguments without an answer', () => {
    for (const p of [0, 0.5, 1, Number.NaN]) expect(() => tQuantile(p, 3)).toThrow(RangeError);
    for (const degrees of [0, -1, Number.NaN]) expect(() => tQuantile(0.975, degrees)).toThrow(RangeError);
  });
});
