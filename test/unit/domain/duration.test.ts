import { describe, expect, it } from 'vitest';
import { Duration, durationText, parseDuration } from '../../../src/domain/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1h30m', 5_400_000],
    ['4 min 5 s', 245_000],
    ['2d', 172_800_000],
    ['3600', 3_600_000],
    [' 0.5 ', 500],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', ' ', 's', '-1s', '1 year', '1h foo', '1,5h', '1e3s', 'NaN', '0x10'])('does not read %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('Duration', () => {
  it('takes a bare number as seconds, as AI-Scientist-v2 does', () => {
    expect(Duration.parse(3600)).toBe(3_600_000);
    expect(Duration.parse(0.25)).toBe(250);
  });

  it.each([0, -1, 0.0001, Number.NaN, Number.POSITIVE_INFINITY, 1e9, '367d', '0s', true, null, [], {}])(
    'refuses %j and says what a duration is',
    (value) => {
      expect(Duration.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([
        expect.stringContaining('such as 90s, 5m or 1h 30m'),
      ]);
    },
  );
});

describe('durationText', () => {
  it.each([
    [0, '0 ms'],
    [999.9, '999 ms'],
    [12_340, '12.3 s'],
    [59_999, '59.9 s'],
    [245_000, '4 min 5 s'],
    [3_599_999, '59 min 59 s'],
    [3_720_000, '1 h 2 min'],
  ])('says %d ms as %s, never more than it was', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
