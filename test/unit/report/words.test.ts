import { describe, expect, it } from 'vitest';
import {
  countText,
  gainText,
  numberOrDash,
  numberText,
  plainText,
  rangeText,
  titleText,
  valueText,
} from '../../../src/report/words.ts';

describe('a number for people', () => {
  it.each([
    [0.972222, '0.9722'],
    [1, '1.0000'],
    [12.34567, '12.346'],
    [123.4567, '123.46'],
    [98_765.4, '98765'],
    [0, '0.0000'],
    [-0, '0.0000'],
    [-0.5, '\u22120.5000'],
    [0.00012345, '1.23e-4'],
    [-0.00012345, '\u22121.23e-4'],
    [1.5e9, '1.50e9'],
    [Number.MAX_VALUE, '1.80e308'],
  ])('prints %f as %s', (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  it('prints a dash where there is none', () => {
    expect(numberOrDash(null)).toBe('–');
    expect(numberOrDash(0.5)).toBe('0.5000');
  });

  it('prints a range in the order in which it is given', () => {
    expect(rangeText(-0.1, 0.25)).toBe('\u22120.1000 to 0.2500');
  });

  it('says better and worse instead of a sign', () => {
    expect(gainText(0.0123)).toBe('better by 0.0123');
    expect(gainText(-0.0123)).toBe('worse by 0.0123');
    expect(gainText(0)).toBe('the same');
  });
});

describe('words', () => {
  it('count', () => {
    expect(countText(1, 'node')).toBe('1 node');
    expect(countText(0, 'node')).toBe('0 nodes');
    expect(countText(2, 'entry', 'entries')).toBe('2 entries');
  });

  it('make titles of names', () => {
    expect(titleText('initial_implementation')).toBe('Initial implementation');
  });

  it('print the values of parameters', () => {
    expect([valueText('rbf'), valueText(3), valueText(false), valueText(null)]).toEqual(['rbf', '3', 'false', '–']);
  });
});

describe('the text of a program', () => {
  it('becomes one line', () => {
    expect(plainText('Traceback:\n\n  File\t"x"\r\n')).toBe('Traceback: File "x" ');
  });

  it('loses nothing that is seen, in any script', () => {
    expect(plainText('µ ≤ 3 日本語 😀 عربى')).toBe('µ ≤ 3 日本語 😀 عربى');
  });

  it('shows what is not seen as a mark: colours of a terminal, turned direction, half characters', () => {
    expect(plainText('\u001B[31mred')).toBe('\uFFFD[31mred');
    expect(plainText('a\u202Eb\u2066c\u200Bd')).toBe('a\uFFFDb\uFFFDc\uFFFDd');
    expect(plainText('x\uD800')).toBe('x\uFFFD');
    expect(plainText('nul\u0000')).toBe('nul\uFFFD');
  });
});
