import { describe, expect, test } from 'vitest';
import { aggregate, compareValues, gain, isBetter, MetricSpec, MetricValue } from '../../../src/domain/metric.ts';

const sortedBy = (direction: 'maximize' | 'minimize', values: readonly (number | null)[]) =>
  [...values].sort((a, b) => compareValues(direction, a, b));

describe('the order of metric values', () => {
  test('puts the largest first when it is maximised, the smallest when it is minimised', () => {
    expect(sortedBy('maximize', [0.2, -1, 3, 0])).toEqual([3, 0.2, 0, -1]);
    expect(sortedBy('minimize', [0.2, -1, 3, 0])).toEqual([-1, 0, 0.2, 3]);
  });

  test('puts a missing value behind every number in both directions', () => {
    expect(sortedBy('maximize', [null, -1e300, null, 5])).toEqual([5, -1e300, null, null]);
    expect(sortedBy('minimize', [null, 1e300, null, 5])).toEqual([5, 1e300, null, null]);
  });

  test('calls nothing better than itself, and zero the same as minus zero', () => {
    for (const value of [null, 0, 1.5, -2]) {
      expect(isBetter('maximize', value, value)).toBe(false);
      expect(isBetter('minimize', value, value)).toBe(false);
    }
    expect(compareValues('maximize', 0, -0)).toBe(0);
  });

  test('calls any number better than none', () => {
    expect(isBetter('maximize', -1e308, null)).toBe(true);
    expect(isBetter('minimize', 1e308, null)).toBe(true);
    expect(isBetter('maximize', null, -1e308)).toBe(false);
  });
});

describe('the gain', () => {
  test('is positive when the first value is better, whatever the direction', () => {
    expect(gain('maximize', 0.75, 0.5)).toBe(0.25);
    expect(gain('minimize', 0.75, 0.5)).toBe(-0.25);
  });

  test('is finite between values that are as far apart as can be', () => {
    expect(gain('maximize', Number.MAX_VALUE, -Number.MAX_VALUE)).toBe(Number.MAX_VALUE);
    expect(gain('minimize', Number.MAX_VALUE, -Number.MAX_VALUE)).toBe(-Number.MAX_VALUE);
  });
});

describe('one value of several datasets', () => {
  test('is the mean, median, smallest or largest', () => {
    const values = [4, 1, 10, 1];
    expect(aggregate('mean', values)).toBe(4);
    expect(aggregate('median', values)).toBe(2.5);
    expect(aggregate('median', [9, 1, 5])).toBe(5);
    expect(aggregate('min', values)).toBe(1);
    expect(aggregate('max', values)).toBe(10);
    expect(values).toEqual([4, 1, 10, 1]);
  });

  test.each(['mean', 'median', 'min', 'max'] as const)('is nothing when there is none (%s)', (aggregation) => {
    expect(aggregate(aggregation, [])).toBeNull();
  });

  test.each(['mean', 'median', 'min', 'max'] as const)('is the value itself when there is one (%s)', (aggregation) => {
    expect(aggregate(aggregation, [0.1])).toBe(0.1);
  });

  test('stays finite where the sum of the values does not', () => {
    expect(aggregate('mean', [1e308, 1e308, 1e308])).toBeCloseTo(1e308, -300);
    expect(aggregate('median', [1.5e308, 1.7e308])).toBeCloseTo(1.6e308, -300);
    expect(aggregate('mean', [Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.MAX_VALUE);
  });
});

describe('the metric of a task', () => {
  test('is aggregated by the mean when nothing is said', () => {
    expect(MetricSpec.parse({ name: 'accuracy', direction: 'maximize' }).aggregation).toBe('mean');
  });

  test('has a name that is a word, and no other keys', () => {
    const spec = { name: 'accuracy', direction: 'maximize' };
    expect(MetricSpec.safeParse({ ...spec, name: '' }).success).toBe(false);
    expect(MetricSpec.safeParse({ ...spec, name: 'val loss' }).success).toBe(false);
    expect(MetricSpec.safeParse({ ...spec, direction: 'up' }).success).toBe(false);
    expect(MetricSpec.safeParse({ ...spec, unit: '%' }).success).toBe(false);
  });

  test('has finite values only', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', null])
      expect(MetricValue.safeParse(value).success).toBe(false);
  });
});
