import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contradictions, difference, isSameEdit, sharedKeys, union } from '../../../src/domain/edits.ts';
import { applyEdit, canonicalText, Edit, editedKeys, type Experiment } from '../../../src/domain/experiment.ts';
import { componentKey, experiment, parameterValue } from '../../support/arbitrary.ts';

const REF = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const edit = (parameters: object, files: object = {}) => Edit.parse({ parameters, files });

/** Any edit; keys from so few that two edits often meet. */
const anyEdit: fc.Arbitrary<Edit> = fc
  .record({
    parameters: fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'constructor', 'model.depth'), componentKey),
      fc.oneof(fc.constantFrom(1, 2, true), parameterValue, fc.constant(null)),
      { maxKeys: 5 },
    ),
    files: fc.dictionary(fc.constantFrom('train.py', 'toString'), fc.constantFrom(REF, OTHER, null), { maxKeys: 2 }),
  })
  .map((content) => Edit.parse(content));

/** An experiment and parts of one edit of it, which overlap and never contradict each other. */
const agreeing: fc.Arbitrary<{ before: Experiment; edits: Edit[] }> = fc
  .record({ before: experiment, after: experiment })
  .chain(({ before, after }) => {
    const whole = difference(before, after);
    return fc.array(fc.subarray(editedKeys(whole)), { minLength: 1, maxLength: 4 }).map((choices) => ({
      before,
      edits: choices.map((keys) => ({
        parameters: Object.fromEntries(Object.entries(whole.parameters).filter(([key]) => keys.includes(key))),
        files: Object.fromEntries(Object.entries(whole.files).filter(([key]) => keys.includes(key))),
      })),
    }));
  });

describe('two edits contradict each other', () => {
  test('where they give a key different values, removing it included', () => {
    const one = edit({ a: 1, b: 2, c: null, d: 'x' }, { 'train.py': REF, 'plot.py': REF });
    const other = edit({ a: 1, b: 3, c: 0, e: 'x' }, { 'train.py': OTHER, 'plot.py': REF });
    expect(contradictions(one, other)).toEqual(['b', 'c', 'train.py']);
    expect(sharedKeys(one, other)).toEqual(['a', 'b', 'c', 'plot.py', 'train.py']);
  });

  test('never where both do the same, and not by names that every object has', () => {
    expect(contradictions(edit({ a: 1 }), edit({ a: 1 }))).toEqual([]);
    expect(contradictions(edit({ constructor: 1, toString: 2 }), edit({ a: 1 }))).toEqual([]);
    expect(contradictions(edit({ constructor: 1 }), edit({ constructor: 2 }))).toEqual(['constructor']);
  });

  test('of types that only look alike', () => {
    expect(contradictions(edit({ a: 1, b: true }), edit({ a: '1', b: 'true' }))).toEqual(['a', 'b']);
  });

  test('in either order alike, and never an edit itself', () => {
    fc.assert(
      fc.property(anyEdit, anyEdit, (one, other) => {
        expect(contradictions(one, other)).toEqual(contradictions(other, one));
        expect(sharedKeys(one, other)).toEqual(sharedKeys(other, one));
        expect(sharedKeys(one, other)).toEqual(expect.arrayContaining(contradictions(one, other)));
        expect(contradictions(one, one)).toEqual([]);
      }),
    );
  });
});

describe('a union', () => {
  test('changes what each of its edits changes; of two values the later holds', () => {
    const one = edit({ a: 1, b: 2 }, { 'train.py': REF });
    expect(union([one, edit({ b: 3, c: null })])).toEqual(edit({ a: 1, b: 3, c: null }, { 'train.py': REF }));
    expect(union([])).toEqual(edit({}));
  });

  test('does not depend on the order when nothing contradicts (X1)', () => {
    fc.assert(
      fc.property(anyEdit, anyEdit, experiment, (one, other, before) => {
        const [forth, back] = [union([one, other]), union([other, one])];
        const isFree = contradictions(one, other).length === 0;
        expect(isSameEdit(forth, back)).toBe(isFree);
        if (isFree) expect(canonicalText(applyEdit(before, forth))).toBe(canonicalText(applyEdit(before, back)));
      }),
    );
    fc.assert(
      fc.property(agreeing, ({ edits }) => {
        expect(union(edits)).toEqual(union([...edits].reverse()));
      }),
    );
  });

  test('is what its edits do one after the other', () => {
    fc.assert(
      fc.property(experiment, fc.array(anyEdit, { maxLength: 4 }), (before, edits) => {
        expect(canonicalText(applyEdit(before, union(edits)))).toBe(canonicalText(edits.reduce(applyEdit, before)));
      }),
    );
  });

  test('is found again as the difference that it made', () => {
    fc.assert(
      fc.property(agreeing, ({ before, edits }) => {
        expect(difference(before, applyEdit(before, union(edits)))).toEqual(union(edits));
      }),
    );
  });
});

describe('a difference', () => {
  test('leads from one experiment to the other, and holds nothing else (X2)', () => {
    fc.assert(
      fc.property(experiment, experiment, (before, after) => {
        const made = difference(before, after);
        expect(canonicalText(applyEdit(before, made))).toBe(canonicalText(after));
        for (const key of Object.keys(made.parameters)) expect(made.parameters[key]).not.toBe(ownValue(before, key));
        expect(difference(before, before)).toEqual(edit({}));
      }),
    );
  });
});

function ownValue({ parameters }: Experiment, key: string): unknown {
  return Object.hasOwn(parameters, key) ? parameters[key] : undefined;
}

test('edits are the same when they change the same keys to the same values', () => {
  expect(isSameEdit(edit({ a: 1, b: null }), edit({ b: null, a: 1 }))).toBe(true);
  expect(isSameEdit(edit({ a: 1 }), edit({ a: 1, b: 2 }))).toBe(false);
  expect(isSameEdit(edit({ a: 1, b: 2 }), edit({ a: 1 }))).toBe(false);
  expect(isSameEdit(edit({ a: 1 }), edit({ a: 2 }))).toBe(false);
  expect(isSameEdit(edit({ a: 1 }), edit({ b: 1 }))).toBe(false);
});
