import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash32, randomStream, type Random } from '../../src/domain/random.ts';

const seed = fc.nat();
const name = fc.string({ maxLength: 30 });

describe('random streams', () => {
  test('are the same for the same seed and name, number by number', () => {
    fc.assert(
      fc.property(seed, name, (from, called) => {
        const [one, other] = [randomStream(from, called), randomStream(from, called)];
        for (let i = 0; i < 20; i++) expect(one.next()).toBe(other.next());
      }),
    );
  });

  test('do not depend on draws from any other', () => {
    fc.assert(
      fc.property(seed, name, name, fc.array(fc.boolean(), { maxLength: 30 }), (from, called, otherName, turns) => {
        const alone = randomStream(from, called);
        const mixed = randomStream(from, called);
        const other = randomStream(from, otherName);
        for (const isOther of turns) {
          if (isOther) other.next();
          else expect(mixed.next()).toBe(alone.next());
        }
      }),
    );
  });

  test('are others under another name or seed', () => {
    fc.assert(
      fc.property(seed, name, name, (from, called, otherName) => {
        const start = (stream: Random) => Array.from({ length: 4 }, () => stream.next());
        fc.pre(called !== otherName);
        expect(start(randomStream(from, otherName))).not.toEqual(start(randomStream(from, called)));
        expect(start(randomStream(from + 1, called))).not.toEqual(start(randomStream(from, called)));
      }),
    );
  });

  test('stay in their range', () => {
    fc.assert(
      fc.property(seed, name, fc.integer({ min: 1, max: 2 ** 31 }), (from, called, bound) => {
        const stream = randomStream(from, called);
        for (let i = 0; i < 20; i++) {
          const next = stream.next();
          expect(next >= 0 && next < 1).toBe(true);
          const below = stream.below(bound);
          expect(Number.isInteger(below) && below >= 0 && below < bound).toBe(true);
        }
      }),
    );
  });

  test('shuffle to the same entries in another order, and pick one of them', () => {
    fc.assert(
      fc.property(seed, name, fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }), (from, called, list) => {
        const stream = randomStream(from, called);
        expect(stream.shuffle(list).toSorted((a, b) => a - b)).toEqual(list.toSorted((a, b) => a - b));
        expect(list).toContain(stream.pick(list));
      }),
    );
  });

  test('are seeded by 32 bits of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hash = hash32(text);
        expect(hash).toBe(hash >>> 0);
        expect(hash32(text)).toBe(hash);
      }),
    );
  });
});
