import { describe, expect, test } from 'vitest';
import { hash32, randomStream } from '../../../src/domain/random.ts';

const draws = (seed: number, name: string, count = 5) => {
  const stream = randomStream(seed, name);
  return Array.from({ length: count }, () => stream.next());
};

describe('random streams', () => {
  test('give these numbers for ever, since runs are resumed and replayed by later versions', () => {
    expect(draws(1, 'stage/debug', 3)).toEqual([0.2724446684587747, 0.30035166977904737, 0.42695631296373904]);
    expect(randomStream(1, 'stage/keys').shuffle(['a', 'b', 'c', 'd', 'e'])).toEqual(['b', 'c', 'd', 'a', 'e']);
    const stream = randomStream(7, 'below');
    expect(Array.from({ length: 10 }, () => stream.below(10))).toEqual([7, 7, 7, 9, 7, 0, 4, 1, 3, 5]);
    expect([hash32(''), hash32('a'), hash32('initial_implementation')]).toEqual([2872998923, 444641715, 1298043931]);
  });

  test('do not shift each other', () => {
    const alone = draws(3, 'one', 10);
    const one = randomStream(3, 'one');
    const other = randomStream(3, 'other');
    const together = Array.from({ length: 10 }, () => {
      other.next();
      other.shuffle([1, 2, 3]);
      return one.next();
    });
    expect(together).toEqual(alone);
  });

  test('differ by seed and by name', () => {
    const firsts = [1, 2, 3].flatMap((seed) => ['a', 'b', 'ab', 'a/b'].map((name) => randomStream(seed, name).next()));
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  test('spread evenly', () => {
    const stream = randomStream(11, 'even');
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) {
      const at = stream.below(10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });

  test('are even over neighbouring names too, as the search names a stream per slot', () => {
    const firsts = Array.from({ length: 2000 }, (_, slot) => randomStream(1, `stage/debug/${slot}`).next());
    const low = firsts.filter((first) => first < 0.5).length;
    expect(low).toBeGreaterThan(900);
    expect(low).toBeLessThan(1100);
  });

  test('pick nothing from an empty list, and anything from another', () => {
    const stream = randomStream(1, 'pick');
    expect(stream.pick<string>([])).toBeUndefined();
    const picked = new Set(Array.from({ length: 100 }, () => stream.pick(['a', 'b', 'c'])));
    expect([...picked].sort()).toEqual(['a', 'b', 'c']);
  });

  test('shuffle a copy', () => {
    const list = [1, 2, 3, 4];
    const shuffled = randomStream(1, 'shuffle').shuffle(list);
    expect(list).toEqual([1, 2, 3, 4]);
    expect(shuffled.toSorted()).toEqual(list);
  });

  test('reach every order of three', () => {
    const orders = Array.from({ length: 200 }, (_, seed) => randomStream(seed, 'orders').shuffle(['a', 'b', 'c']).join(''));
    expect(new Set(orders).size).toBe(6);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuse the bound %s', (bound) => {
    expect(() => randomStream(1, 'bound').below(bound)).toThrow(`bound must be a whole number of at least 1, got ${bound}`);
  });
});
