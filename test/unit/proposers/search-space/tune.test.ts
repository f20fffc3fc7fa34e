import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { tune } from '../../../../src/proposers/search-space/tune.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFor, contextFrom, past, play, pointOf } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const tuner = { propose: (context: Parameters<typeof tune>[0]) => Promise.resolve(tune(context)) };
const item = (target: string | null, ordinal = 0) => nodeItem('tune', nodeId(1), target, ordinal);

test('a choice goes through its untried values and is then exhausted', async () => {
  const start = contextFor(task, item('features.scaler'));
  const { past: made, end } = await play(tuner, start, { steps: 9, measure: () => 0.5 });
  expect(made.map(({ parameters }) => parameters['features.scaler']).sort()).toEqual(['minmax', 'robust', 'standard']);
  expect(end).toBe('no untried value is left for features.scaler');
});

test('a number comes within a twentieth of its range of the optimum in eight tries, for each place of the optimum', async () => {
  for (const optimum of [-3.5, -1, 0.5, 3]) {
    const start = contextFrom(task, item('model.regularisation'), past(task, 1, {}, -((1 - optimum) ** 2)), [
      past(task, 1, {}, -((1 - optimum) ** 2)),
    ]);
    const measure = (values: Record<string, unknown>) => -((Math.log10(Number(values['model.regularisation'])) - optimum) ** 2);
    const { past: made } = await play(tuner, start, { steps: 8, measure });
    const best = Math.max(...made.map(({ metric }) => metric ?? -Infinity));
    expect(best, String(optimum)).toBeGreaterThan(-((8 / 20) ** 2));
  }
});

test('a key that does not count here, is frozen or lies outside of the section is exhausted', () => {
  const words = 'does not count here, or may not be changed';
  expect(tune(contextFor(task, item('svm.kernel')))).toEqual({ status: 'exhausted', message: `svm.kernel ${words}` });
  expect(tune(contextFor({ ...task, frozen: ['features.scaler'] }, item('features.scaler'))).status).toBe('exhausted');
  expect(tune(contextFor(task, item('features.scaler'), { allowedKeys: ['model.family'] })).status).toBe('exhausted');
  expect(tune(contextFor(task, item('no.such.key'))).status).toBe('exhausted');
});

test('without a target the key that was tuned least is taken, never the family', () => {
  const keys = ['features.scaler', 'features.reduction', 'model.regularisation', 'training.balanced'];
  const made = keys.map((label, index) => past(task, index + 2, { 'training.iterations': index + 30 }, { label }));
  const proposal = tune(contextFor(task, item(null), { past: made }));
  expect(proposal).toMatchObject({ status: 'proposed', label: 'training.iterations' });
});

test('items that are under way together take the keys in turn', () => {
  const labels = [0, 1, 2, 3, 4].map((pending) => {
    const proposal = tune(contextFor(task, item(null, pending), { pending }));
    return proposal.status === 'proposed' ? proposal.label : '';
  });
  expect(new Set(labels).size).toBe(5);
});

test('the plan says from what to what', () => {
  const context = contextFor(task, item('training.balanced'));
  expect(pointOf(context, tune(context))['training.balanced']).toBe(true);
  expect(tune(context)).toMatchObject({ plan: 'Tune training.balanced: true instead of false, judged by the nodes so far.' });
});
