import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { improve } from '../../../../src/proposers/search-space/improve.ts';
import { differingKeys } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFrom, past, pointOf } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const base = past(task, 1, { 'model.family': 'svm' }, 0.5);
const contextAt = (ordinal: number, more: ReturnType<typeof past>[] = []) => ({
  ...contextFrom(task, nodeItem('improve', nodeId(1), null, ordinal), base, [base, ...more]),
  pending: 0,
});
const points = (more: ReturnType<typeof past>[] = [], length = 60) =>
  Array.from({ length }, (_, ordinal) => {
    const context = contextAt(ordinal, more);
    return pointOf(context, improve(context));
  });

test('two to four keys change, and in some cases the family', () => {
  const steps = points();
  const inFamily = steps.filter((point) => point['model.family'] === 'svm');
  for (const point of inFamily) {
    const changed = differingKeys(task, base.parameters, point).filter((key) => base.parameters[key] !== point[key]);
    expect(changed.length).toBeGreaterThanOrEqual(1);
    expect(changed.length).toBeLessThanOrEqual(4);
  }
  expect(inFamily.length).toBeGreaterThan(30);
  expect(steps.length - inFamily.length).toBeGreaterThan(3);
});

test('another family starts from the best values that the journal has for it', () => {
  const knn = (number: number, neighbours: number, metric: number) =>
    past(task, number, { 'model.family': 'knn', 'knn.neighbours': neighbours }, metric);
  const switched = points([knn(2, 3, 0.9), knn(3, 55, 0.2)], 300).filter((point) => point['model.family'] === 'knn');
  expect(switched.length).toBeGreaterThan(0);
  expect(switched.filter((point) => point['knn.neighbours'] === 3).length).toBeGreaterThan(switched.length / 2);
  expect(switched.some((point) => point['knn.neighbours'] === 55)).toBe(false);
});

test('a value that did well is taken more often than one that did badly', () => {
  const seen = [
    past(task, 2, { 'model.family': 'svm', 'features.scaler': 'standard' }, 0.9),
    past(task, 3, { 'model.family': 'svm', 'svm.kernel': 'poly' }, 0.1),
  ];
  const steps = points(seen).filter((point) => point['model.family'] === 'svm');
  const count = (key: string, value: string) => steps.filter((point) => point[key] === value).length;
  expect(count('features.scaler', 'standard')).toBeGreaterThan(0);
  expect(count('svm.kernel', 'linear')).toBeGreaterThanOrEqual(count('svm.kernel', 'poly'));
});

test('the label is the family, and the plan lists what changes', () => {
  expect(improve(contextAt(0))).toMatchObject({
    label: expect.any(String),
    plan: expect.stringMatching(/^Improve several things at once: .+ from .+ to .+\.$/),
  });
});

test('a section of one key changes that one', () => {
  const context = { ...contextAt(0), allowedKeys: ['svm.kernel'] };
  expect(improve(context)).toMatchObject({ edit: { parameters: { 'svm.kernel': expect.any(String) } }, label: 'svm' });
});
