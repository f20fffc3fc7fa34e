import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { ablate } from '../../../../src/proposers/search-space/ablate.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFrom, past } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const base = past(task, 1, { 'model.family': 'svm', 'features.scaler': 'standard', 'svm.gamma': 3 }, 0.9);
const contextOf = (target: string | null) => contextFrom(task, nodeItem('ablate', nodeId(1), target, 0), base, [base]);

test('the target goes to its ablated value and all else stays', () => {
  expect(ablate(contextOf('features.scaler'))).toEqual({
    status: 'proposed',
    edit: { parameters: { 'features.scaler': 'none' }, files: {} },
    label: 'features.scaler',
    plan: 'Ablate features.scaler: features.scaler from standard to none.',
  });
});

test('a pair takes both away', () => {
  const pair = ablate(contextOf('features.scaler+svm.gamma'));
  expect(pair).toMatchObject({
    edit: { parameters: { 'features.scaler': 'none', 'svm.gamma': 1 } },
    label: 'features.scaler+svm.gamma',
  });
});

test('what is ablated already, does not count or has no ablated value is exhausted', () => {
  for (const target of [
    'features.reduction',
    'knn.metric',
    'model.family',
    'features.scaler+features.reduction',
    'no.such.key',
  ]) {
    expect(ablate(contextOf(target)).status, target).toBe('exhausted');
  }
});

test('an ablation is made even when another stage saw the same point: it is measured on other datasets', () => {
  const context = contextOf('features.scaler');
  const same = past(task, 2, { ...base.parameters, 'features.scaler': 'none' }, 0.8);
  expect(ablate({ ...context, past: [base, same] }).status).toBe('proposed');
});

test('without a target the components are taken one after the other', () => {
  const first = ablate(contextOf(null));
  expect(first).toMatchObject({ status: 'proposed', label: 'features.scaler' });
  const made = past(task, 2, {}, { operator: 'ablate', label: 'features.scaler' });
  expect(ablate({ ...contextOf(null), past: [base, made] })).toMatchObject({ label: 'model.regularisation' });
});
