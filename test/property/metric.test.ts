import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aggregate, Aggregation, compareValues, Direction, gain, isBetter } from '../../src/domain/metric.ts';
import { metric, metricOrNone } from '../support/arbitrary.ts';

const direction = fc.constantFrom(...Direction.options);
const sign = (value: number): number => Math.sign(value) + 0;

describe('the order of metric values', () => {
  test('is total: either is better, or they are equal', () => {
    fc.assert(
      fc.property(direction, metricOrNone, metricOrNone, (way, a, b) => {
        expect(sign(compareValues(way, a, b))).toBe(sign(-compareValues(way, b, a)));
        expect(compareValues(way, a, b) === 0).toBe(a === b);
      }),
    );
  });

  test('is transitive', () => {
    fc.assert(
      fc.property(direction, metricOrNone, metricOrNone, metricOrNone, (way, a, b, c) => {
        fc.pre(compareValues(way, a, b) <= 0 && compareValues(way, b, c) <= 0);
        expect(compareValues(way, a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('is turned round by the direction, but for missing values', () => {
    fc.assert(
      fc.property(metric, metric, (a, b) => {
        expect(isBetter('maximize', a, b)).toBe(isBetter('minimize', b, a));
        expect(isBetter('maximize', a, b)).toBe(a > b);
        for (const way of Direction.options) expect(isBetter(way, a, null)).toBe(true);
      }),
    );
  });

  test('puts missing values last in any sorted list', () => {
    fc.assert(
      fc.property(direction, fc.array(metricOrNone), (way, values) => {
        const sorted = [...values].sort((a, b) => compareValues(way, a, b));
        const firstMissing = sorted.indexOf(null);
        expect(sorted.slice(firstMissing === -1 ? sorted.length : firstMissing).every((value) => value === null)).toBe(true);
        for (const [index, value] of sorted.entries()) expect(isBetter(way, sorted[index + 1] ?? null, value)).toBe(false);
      }),
    );
  });

  test('agrees with the gain, which is finite', () => {
    fc.assert(
      fc.property(direction, metric, metric, (way, a, b) => {
        expect(gain(way, a, b) > 0).toBe(isBetter(way, a, b));
        expect(Number.isFinite(gain(way, a, b))).toBe(true);
        expect(gain(way, a, b) + 0).toBe(-gain(way, b, a) + 0);
      }),
    );
  });
});

describe('one value of several', () => {
  test('is finite, within their range up to rounding, and the same in any order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Aggregation.options),
        fc.array(metric, { minLength: 1, maxLength: 8 }),
        (aggregation, values) => {
          const one = aggregate(aggregation, values) ?? Number.NaN;
          const slack = 1e-12 * Math.max(...values.map(Math.abs));
          expect(one).toBeGreaterThanOrEqual(Math.min(...values) - slack);
          expect(one).toBeLessThanOrEqual(Math.min(Number.MAX_VALUE, Math.max(...values) + slack));
          const turned = aggregate(aggregation, values.toReversed()) ?? Number.NaN;
          expect(Math.abs(turned - one)).toBeLessThanOrEqual(slack);
        },
      ),
    );
  });

  test('has as many values below as above when it is the median', () => {
    fc.assert(
      fc.property(fc.array(metric, { minLength: 1, maxLength: 9 }), (values) => {
        const middle = aggregate('median', values) ?? Number.NaN;
        const slack = 1e-12 * Math.abs(middle);
        expect(values.filter((value) => value <= middle + slack).length).toBeGreaterThanOrEqual(values.length / 2);
        expect(values.filter((value) => value >= middle - slack).length).toBeGreaterThanOrEqual(values.length / 2);
      }),
    );
  });

  test('of equal values is that value, up to rounding', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Aggregation.options),
        metric,
        fc.integer({ min: 1, max: 8 }),
        (aggregation, value, count) => {
          const one =
            aggregate(
              aggregation,
              Array.from({ length: count }, () => value),
            ) ?? Number.NaN;
          expect(Math.abs(one - value)).toBeLessThanOrEqual(1e-12 * Math.abs(value));
        },
      ),
    );
  });
});
