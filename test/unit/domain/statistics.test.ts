import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSamples, predictionInterval, summarise, type Sample } from '../../../src/domain/statistics.ts';

const sample = (values: readonly number[], firstSeed = 1_000_000): Sample =>
  new Map(values.map((value, index) => [firstSeed + index, value]));

/** What scipy 1.17 gives for the samples below: `ttest_ind(a, b, equal_var=False).confidence_interval()`. */
const WELCH = { low: -4.886730044370594, high: -0.6732699556294084 };

describe('a summary', () => {
  it('has mean, sample standard deviation and the 95 % interval', () => {
    const { n, mean, deviation, interval } = summarise([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(n).toBe(8);
    expect(mean).toBe(5);
    expect(deviation).toBeCloseTo(2.13809, 5);
    // 5 ± 2.364624 × 2.13809 / √8
    expect(interval?.low).toBeCloseTo(3.21251, 4);
    expect(interval?.high).toBeCloseTo(6.78749, 4);
  });

  it('has no interval for one value and no mean for none', () => {
    expect(summarise([0.5])).toEqual({ n: 1, mean: 0.5, deviation: null, interval: null });
    expect(summarise([])).toEqual({ n: 0, mean: null, deviation: null, interval: null });
  });

  it('gives equal values exactly their value and an interval of no width', () => {
    expect(summarise([0.1, 0.1, 0.1])).toEqual({ n: 3, mean: 0.1, deviation: 0, interval: { low: 0.1, high: 0.1 } });
  });

  it('keeps the spread of values that are large or tiny', () => {
    expect(summarise([1e200, 2e200, 3e200]).deviation).toBeCloseTo(1e200, -190);
    expect(summarise([1e-200, 2e-200, 3e-200]).deviation).toBeGreaterThan(0.99e-200);
  });

  it('never gives a number that is not finite, whatever finite values come in', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 8 });
    fc.assert(
      fc.property(values, (list) => {
        const { mean, deviation, interval } = summarise(list);
        for (const number of [mean, deviation, interval?.low, interval?.high]) {
          if (number !== null && number !== undefined) expect(Number.isFinite(number)).toBe(true);
        }
      }),
    );
  });

  it('covers the true mean about 95 times out of 100', () => {
    let seed = 1;
    const uniform = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const covered = Array.from({ length: 4000 }, () => summarise([normal(), normal(), normal()]).interval).filter(
      (interval) => interval !== null && interval.low < 0 && interval.high > 0,
    ).length;
    expect(covered / 4000).toBeGreaterThan(0.935);
    expect(covered / 4000).toBeLessThan(0.965);
  });
});

describe('the range of one more value', () => {
  it('is wider than the interval of the mean', () => {
    const range = predictionInterval([1, 2, 3]);
    // 2 ± 4.302653 × 1 × √(4/3)
    expect(range?.low).toBeCloseTo(-2.96828, 4);
    expect(range?.high).toBeCloseTo(6.96828, 4);
  });

  it('needs two values', () => {
    expect(predictionInterval([1])).toBeNull();
  });
});

describe('a comparison', () => {
  it('is paired when the same seeds were used, which finds a small gain that Welch would miss', () => {
    const candidate = [0.91, 0.96, 0.86];
    const reference = [0.9, 0.949, 0.851];
    const paired = compareSamples('maximize', sample(candidate), sample(reference));
    expect(paired).toMatchObject({ method: 'paired', n: 3, verdict: 'better' });
    expect(paired.gain).toBeCloseTo(0.01, 10);
    const unpaired = compareSamples('maximize', sample(candidate), sample(reference, 5));
    expect(unpaired).toMatchObject({ method: 'welch', n: 3, verdict: 'noise' });
    expect(unpaired.gain).toBeCloseTo(0.01, 10);
  });

  it('pairs over the seeds of the smaller sample when the larger has them all', () => {
    const compared = compareSamples('maximize', sample([0.9, 0.91]), sample([0.8, 0.81, 0.5, 0.2]));
    expect(compared).toMatchObject({ method: 'paired', n: 2, verdict: 'better' });
    expect(compared.gain).toBeCloseTo(0.1, 10);
  });

  it('does not throw away the values of seeds that only one side has', () => {
    const compared = compareSamples('maximize', sample([0.9, 0.91, 0.92]), sample([0.8, 0.81, 0.82], 1_000_001));
    expect(compared).toMatchObject({ method: 'welch', n: 3, verdict: 'better' });
    expect(compared.gain).toBeCloseTo(0.1, 10);
  });

  it('has the interval of Welch’s test for samples of different spread', () => {
    const a = sample([27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]);
    const b = sample([27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5], 900);
    const compared = compareSamples('maximize', a, b);
    expect(compared.method).toBe('welch');
    expect(compared.verdict).toBe('worse');
    expect(compared.low).toBeCloseTo(WELCH.low, 6);
    expect(compared.high).toBeCloseTo(WELCH.high, 6);
  });

  it('counts a gain in the direction of the metric', () => {
    const [low, high] = [sample([0.1, 0.11, 0.12]), sample([0.3, 0.31, 0.32])];
    expect(compareSamples('minimize', low, high).verdict).toBe('better');
    expect(compareSamples('minimize', high, low).verdict).toBe('worse');
    expect(compareSamples('maximize', low, high).verdict).toBe('worse');
  });

  it('calls a gain inside the noise noise', () => {
    expect(compareSamples('maximize', sample([0.9, 0.95, 0.91]), sample([0.91, 0.92, 0.93])).verdict).toBe('noise');
  });

  it('knows nothing of samples below two values', () => {
    const unknown = { method: 'none', gain: null, low: null, high: null, verdict: 'unknown' };
    expect(compareSamples('maximize', sample([0.9]), sample([0.1, 0.2]))).toEqual({ ...unknown, n: 1 });
    expect(compareSamples('maximize', sample([]), sample([0.1, 0.2]))).toEqual({ ...unknown, n: 0 });
  });

  it('does not take a rounding for a gain', () => {
    const values = [0.1 + 0.2, 0.7, 0.9];
    const rounded = [0.3, 0.7, 0.9];
    expect(compareSamples('maximize', sample(values), sample(rounded)).verdict).toBe('noise');
    expect(compareSamples('maximize', sample([0.1 + 0.2, 0.1 + 0.2]), sample([0.3, 0.3])).verdict).toBe('noise');
  });

  it('calls a difference real that no seed changes', () => {
    expect(compareSamples('maximize', sample([0.9, 0.9]), sample([0.8, 0.8]))).toMatchObject({
      verdict: 'better',
      low: 0.9 - 0.8,
    });
    expect(compareSamples('maximize', sample([0.9, 0.9]), sample([0.8, 0.8], 5))).toMatchObject({ verdict: 'better' });
  });

  it('is the same seen from the other side, with the sign turned', () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 6 });
    const opposite = { better: 'worse', worse: 'better', noise: 'noise', unknown: 'unknown' };
    fc.assert(
      fc.property(values, values, fc.boolean(), (a, b, isPaired) => {
        const [one, two] = [sample(a), sample(b, isPaired ? 1_000_000 : 1)];
        const there = compareSamples('maximize', one, two);
        const back = compareSamples('maximize', two, one);
        expect(back.verdict).toBe(opposite[there.verdict]);
        expect(there.low).not.toBeGreaterThan(there.high ?? 0);
        expect(back.gain).toBeCloseTo(-(there.gain ?? 0), 6);
      }),
    );
  });
});
