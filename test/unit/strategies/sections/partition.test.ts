import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sectionOf } from '../../../../src/strategies/sections/key-hash.ts';
import { ownerOf, strayChange, unitedSections } from '../../../vectors/reference/section-merge.ts';
import { byCodePoint } from '../../../../src/domain/code-point.ts';
import { keysBySection, ownersOf, sectionsOfWorkers } from '../../../../src/strategies/sections/partition.ts';
import { componentKey } from '../../../support/arbitrary.ts';

const keys = fc.uniqueArray(fc.oneof(componentKey, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 30 });
const count = fc.integer({ min: 1, max: 12 });

describe('balanced sections', () => {
  test('hold every key once and differ in size by one at most', () => {
    fc.assert(
      fc.property(keys, count, (all, sections) => {
        const lists = keysBySection(ownersOf([...all, ...all], sections), sections);
        const sizes = lists.map((list) => list.length);
        expect(lists).toHaveLength(sections);
        expect(lists.flat().sort(byCodePoint)).toEqual([...all].sort(byCodePoint));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('do not depend on the order of the keys', () => {
    fc.assert(
      fc.property(keys, count, (all, sections) => {
        expect([...ownersOf(all.toReversed(), sections)]).toEqual([...ownersOf(all, sections)]);
      }),
    );
  });

  test('have one worker each when there are as many workers', () => {
    fc.assert(
      fc.property(count, (sections) => {
        const workers = Array.from({ length: sections }, (_, worker) => `w${worker}`);
        const owned = [...sectionsOfWorkers(workers, sections).values()];
        expect(owned.toSorted((a, b) => a - b)).toEqual(workers.map((_, section) => section));
      }),
    );
  });

  test('are refused when there is none for a key, and are none for no key', () => {
    expect(() => ownersOf(['a'], 0)).toThrow(RangeError);
    expect([...ownersOf([], 0)]).toEqual([]);
  });
});

test('sections by hash hold every key in its bucket, which another key does not shift', () => {
  fc.assert(
    fc.property(keys, count, componentKey, (all, sections, added) => {
      const [before, after] = [ownersOf(all, sections, 'hash'), ownersOf([...all, added], sections, 'hash')];
      expect([...before].every(([key, section]) => section === sectionOf(key, sections) && after.get(key) === section)).toBe(
        true,
      );
      expect(before.size).toBe(all.length);
    }),
  );
});

test('keys are sorted as code points: by UTF-16 units the emoji would come before the replacement character', () => {
  expect(['\ufffd', '😀', 'z', 'é', 'ab', 'a', ''].sort(byCodePoint)).toEqual(['', 'a', 'ab', 'z', 'é', '\ufffd', '😀']);
  expect([...ownersOf(['😀', '\ufffd'], 2)]).toEqual([
    ['\ufffd', 0],
    ['😀', 1],
  ]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(byCodePoint(a, b))).toBe(-Math.sign(byCodePoint(b, a)) + 0);
      expect(byCodePoint(a, b) === 0).toBe(a === b);
    }),
  );
});

describe('edits of sections', () => {
  const space = { owners: ownersOf(['a', 'b', 'c'], 3), count: 3 };
  const edit = (section: number, changes: Record<string, number>) => ({ id: `e${section}`, section, changes });

  test('are united over the base, the later one of a section last', () => {
    const edits = [edit(2, { c: 1 }), edit(0, { a: 1 }), edit(0, { a: 2 })];
    expect(unitedSections({ b: 0, other: 9 }, edits, space)).toEqual({ united: { b: 0, other: 9, c: 1, a: 2 } });
  });

  test('that touch what is of another section are refused, and it is said whose it is', () => {
    const violation = { edit: 'e1', section: 1, key: 'c', owner: 2 };
    expect(unitedSections({}, [edit(0, { a: 1 }), edit(1, { b: 1, c: 1 })], space)).toEqual({ violation });
    expect(strayChange([edit(0, { a: 1 }), edit(1, {})], space)).toBeNull();
  });

  test('may touch a key that is not declared in the bucket of its hash only', () => {
    expect(ownerOf('later', space)).toBe(sectionOf('later', 3));
    expect(strayChange([edit(sectionOf('later', 3), { later: 1 })], space)).toBeNull();
  });

  test('of different sections have the same union in any order', () => {
    const edits = [edit(0, { a: 1 }), edit(1, { b: 2 }), edit(2, { c: 3 })];
    fc.assert(
      fc.property(fc.shuffledSubarray(edits, { minLength: 3 }), (shuffled) => {
        expect(unitedSections({}, shuffled, space)).toEqual(unitedSections({}, edits, space));
      }),
    );
  });
});
