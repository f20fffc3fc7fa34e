import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadTask } from '../../../src/adapters/task-file.ts';
import { Ref } from '../../../src/domain/ids.ts';
import { canonicalText } from '../../../src/domain/experiment.ts';
import { changedKeys, editedExperiment, editProblem, strayKeys } from '../../../src/proposers/check-edit.ts';
import { identity } from '../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../support/experiment-programs.ts';
import { anyPoint, past } from '../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const base = { v: 1 as const, parameters: past(task, 1, {}).parameters, files: { 'train.py': Ref.parse('1'.repeat(32)) } };
const rules = { task, base, mayBeEmpty: false };

test('experiments that do the same have the same text', () => {
  fc.assert(
    fc.property(anyPoint(task), anyPoint(task), (one, other) => {
      const [a, b] = [one, other].map((parameters) => editedExperiment(task, base, { parameters, files: {} }));
      if (a === undefined || b === undefined) return;
      expect(canonicalText(a) === canonicalText(b)).toBe(identity(task, a.parameters) === identity(task, b.parameters));
      expect(identity(task, a.parameters)).toBe(identity(task, { ...base.parameters, ...one }));
    }),
  );
});

test('changed are the keys that count and differ: a new family does not list what goes out of use', () => {
  const tuned = editedExperiment(task, base, { parameters: { 'training.iterations': 90 }, files: {} });
  const moved = editedExperiment(task, tuned, { parameters: { 'model.family': 'knn', 'knn.neighbours': 3 }, files: {} });
  expect(changedKeys(task, base, tuned)).toEqual(['training.iterations']);
  expect(changedKeys(task, tuned, moved)).toEqual(['knn.neighbours', 'model.family']);
  expect(moved.parameters['training.iterations']).toBe(10);
});

test('a changed program file counts as a change, and only files of the task may change', () => {
  const files = { 'train.py': Ref.parse('2'.repeat(32)) };
  const after = editedExperiment(task, base, { parameters: {}, files });
  expect(changedKeys(task, base, after)).toEqual(['train.py']);
  expect(editProblem({ parameters: {}, files }, rules)).toBeNull();
  expect(editProblem({ parameters: {}, files: { 'evil.py': files['train.py'] } }, rules)).toBe(
    'evil.py is no file of the task digits',
  );
});

test('repeating the value of a frozen key touches nothing', () => {
  const frozen = { ...rules, task: { ...task, frozen: ['features.scaler'] } };
  expect(editProblem({ parameters: { 'features.scaler': 'none', 'model.family': 'svm' }, files: {} }, frozen)).toBeNull();
  expect(editProblem({ parameters: { 'features.scaler': 'minmax' }, files: {} }, frozen)).toContain('frozen');
});

test('an edit strays to the keys that it changes outside of its section, and not to those that it only repeats', () => {
  const edit = { parameters: { 'features.scaler': 'minmax', 'model.family': 'knn' }, files: { 'train.py': null } };
  expect(strayKeys(edit, base, null)).toEqual([]);
  expect(strayKeys(edit, base, ['model.family'])).toEqual(['features.scaler', 'train.py']);
  const same = { parameters: { 'features.scaler': base.parameters['features.scaler'] ?? null }, files: {} };
  expect(strayKeys(same, base, [])).toEqual([]);
});

test('a key that only looks like one of the component map is no component', () => {
  expect(editProblem({ parameters: { constructor: 1 }, files: {} }, rules)).toBe(
    'constructor is no component of the task digits',
  );
});
