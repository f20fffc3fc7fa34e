import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash64, pythonText, sectionOf } from '../../../../src/strategies/sections/key-hash.ts';

describe('the hash of a text', () => {
  // From Python: hashlib.blake2b(text, digest_size=8).hexdigest()
  test.each([
    [0, 'e4a6a0577479b2b4'],
    [1, '4adf4367f96e584f'],
    [127, '8e70a0af447c4ffc'],
    [128, '901ce374e8e12402'],
    [129, '18de14b9d8eea5a3'],
    [256, '1350ad21b0246597'],
    [257, '542ad3213e51c376'],
    [1000, '9a306b894c158617'],
  ])('of %i letters is that of Python, also where blocks of 128 bytes end', (length, digest) => {
    expect(hash64('x'.repeat(length)).toString(16)).toBe(digest);
  });

  test('goes over its bytes, not over its characters', () => {
    expect(hash64('é'.repeat(100)).toString(16)).toBe('9ff86945ab009487');
  });

  test('has 64 bits, and another text another hash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(hash64(one)).toBe(BigInt.asUintN(64, hash64(one)));
        expect(hash64(one) === hash64(other)).toBe(one === other);
      }),
    );
  });
});

describe('a text as Python writes it', () => {
  test.each([
    ["it's", `"it's"`],
    [`it's "both"`, `'it\\'s "both"'`],
    ['a\\b\t\n\r', `'a\\\\b\\t\\n\\r'`],
    ['\u0000\u007f\u00a0\u00ad', `'\\x00\\x7f\\xa0\\xad'`],
    ['\u2028\ue000\ud800', `'\\u2028\\ue000\\ud800'`],
    ['\u{10ffff}', `'\\U0010ffff'`],
    ['é 中 😀', `'é 中 😀'`],
  ])('%j', (text, written) => {
    expect(pythonText(text)).toBe(written);
  });
});

describe('the bucket of a key', () => {
  test('is one of those that there are, and always the same', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (key, count) => {
        const section = sectionOf(key, count);
        expect(Number.isInteger(section) && section >= 0 && section < count).toBe(true);
        expect(sectionOf(key, count)).toBe(section);
      }),
    );
  });

  test('is refused when there is none', () => {
    expect(() => sectionOf('a', 0)).toThrow(new RangeError('there is no section of 0'));
  });
});
