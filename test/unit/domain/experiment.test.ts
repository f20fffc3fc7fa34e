import { describe, expect, test } from 'vitest';
import { applyEdit, canonicalText, ComponentKey, Edit, editedKeys, Experiment } from '../../../src/domain/experiment.ts';

const REF = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);

const experiment = (parameters: object, files: object = {}) => Experiment.parse({ v: 1, parameters, files });
const edit = (parameters: object, files: object = {}) => Edit.parse({ parameters, files });

describe('a component key', () => {
  test('is words joined by dots and never a path out of its folder', () => {
    const keys = [
      'model.depth',
      'train.py',
      'a',
      '0',
      'a-b_c.d',
      '',
      '.',
      '..',
      '../x',
      'a/b',
      '.hidden',
      'a..b',
      'a.',
      '__proto__',
    ];
    expect(keys.filter((key) => ComponentKey.safeParse(key).success)).toEqual(['model.depth', 'train.py', 'a', '0', 'a-b_c.d']);
    expect(ComponentKey.safeParse('a'.repeat(81)).success).toBe(false);
  });
});

describe('an experiment', () => {
  test('holds finite numbers, truth values and short texts', () => {
    for (const value of [1, -0.5, true, 'rbf', 'x'.repeat(200)])
      expect(Experiment.safeParse({ v: 1, parameters: { a: value }, files: {} }).success).toBe(true);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, [], {}, 'x'.repeat(201)])
      expect(Experiment.safeParse({ v: 1, parameters: { a: value }, files: {} }).success).toBe(false);
  });
});

describe('an edit', () => {
  test('changes, adds and removes keys and leaves the rest', () => {
    const before = experiment({ a: 1, b: 2, c: 3 }, { 'train.py': REF, 'old.py': REF });
    const after = applyEdit(before, edit({ a: 10, b: null, d: true }, { 'train.py': OTHER, 'old.py': null, 'new.py': REF }));
    expect(after).toEqual(experiment({ a: 10, c: 3, d: true }, { 'train.py': OTHER, 'new.py': REF }));
  });

  test('leaves the experiment before it as it was', () => {
    const before = Object.freeze(experiment(Object.freeze({ a: 1 })));
    expect(applyEdit(before, edit({ a: 2 })).parameters).toEqual({ a: 2 });
    expect(before.parameters).toEqual({ a: 1 });
  });

  test('can set what counts as nothing: 0, false and the empty text', () => {
    expect(applyEdit(experiment({ a: 1 }), edit({ a: 0, b: false, c: '' })).parameters).toEqual({ a: 0, b: false, c: '' });
  });

  test('of nothing changes nothing, and removing what is not there is no error', () => {
    const before = experiment({ a: 1 });
    expect(applyEdit(before, edit({}))).toEqual(before);
    expect(applyEdit(before, edit({ z: null }))).toEqual(before);
  });

  test('leaves alone keys that are named like parts of every object', () => {
    const before = experiment({ constructor: 1, toString: 'x', valueOf: true });
    expect(applyEdit(before, edit({ a: 1 })).parameters).toEqual({ constructor: 1, toString: 'x', valueOf: true, a: 1 });
    expect(applyEdit(before, edit({ constructor: null })).parameters).toEqual({ toString: 'x', valueOf: true });
  });

  test('names the keys it touches in order', () => {
    expect(editedKeys(edit({ z: 1, b: null }, { 'a.py': REF }))).toEqual(['a.py', 'b', 'z']);
  });
});

describe('the canonical text', () => {
  test('does not depend on the order of keys', () => {
    const one = canonicalText(experiment({ b: 1, a: 2, '10': 1, '9': 1 }, { y: REF, x: OTHER }));
    const other = canonicalText(experiment({ '9': 1, a: 2, '10': 1, b: 1 }, { x: OTHER, y: REF }));
    expect(one).toBe(other);
  });

  test('is this text, since hashes of stored experiments depend on it', () => {
    expect(canonicalText(experiment({ b: true, 'a.c': 0.5 }, { 'train.py': REF }))).toBe(
      `{"v":1,"parameters":{"a.c":0.5,"b":true},"files":{"train.py":"${REF}"}}`,
    );
  });

  test('tells apart values of different kinds', () => {
    const texts = [1, '1', true, 'true', 0, false, ''].map((value) => canonicalText(experiment({ a: value })));
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('tells a parameter from a file of the same name', () => {
    expect(canonicalText(experiment({ a: REF }))).not.toBe(canonicalText(experiment({}, { a: REF })));
  });
});
