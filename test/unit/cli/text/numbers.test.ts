import { describe, expect, it } from 'vitest';
import { countText, signedText, valueText } from '../../../../src/cli/text/numbers.ts';

describe('numbers', () => {
  it.each([
    [0, '0.0000'],
    [0.97314, '0.9731'],
    [-0.5, '-0.5000'],
    [12.34567, '12.3457'],
    [123.456, '123.46'],
    [4567.89, '4567.9'],
    [0.000123, '1.230e-4'],
    [1.5e9, '1.500e+9'],
  ])('prints the value %s as %s', (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  it('always signs a difference', () => {
    expect([signedText(0.01), signedText(-0.01), signedText(0)]).toEqual(['+0.0100', '-0.0100', '+0.0000']);
  });

  it('counts with the right form of the noun', () => {
    expect([countText(0, 'node'), countText(1, 'node'), countText(2, 'node')]).toEqual(['0 nodes', '1 node', '2 nodes']);
  });
});
