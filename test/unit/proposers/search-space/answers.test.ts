import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { changesText, exhausted, fresh, nth, proposed, text } from '../../../../src/proposers/search-space/answers.ts';
import { identity } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { past } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const from = past(task, 1, {}).parameters;
const candidate = (changes: Record<string, string | number>) => ({ point: { ...from, ...changes }, label: 'l', plan: 'p' });

test('an edit holds the keys that count at the new point and have another value', () => {
  const answer = proposed(
    task,
    from,
    candidate({ 'model.family': 'knn', 'svm.kernel': 'poly', 'knn.neighbours': 3, 'training.iterations': 90 }),
  );
  expect(answer).toMatchObject({
    status: 'proposed',
    edit: { parameters: { 'model.family': 'knn', 'knn.neighbours': 3 }, files: {} },
  });
  expect(answer.status === 'proposed' && Object.keys(answer.edit.parameters)).toHaveLength(2);
});

test('labels, plans and messages are cut to what the wire takes', () => {
  const answer = proposed(task, from, { point: from, label: 'l'.repeat(500), plan: 'p'.repeat(2000) });
  expect(answer.status === 'proposed' && [answer.label.length <= 200, answer.plan.length <= 600]).toEqual([true, true]);
  expect(exhausted('m'.repeat(900))).toMatchObject({ message: expect.stringMatching(/^.{1,300}$/) });
});

test('new is what differs from the start, from all that was tried, and from the candidates before', () => {
  const list = ['none', 'standard', 'minmax', 'minmax', 'robust'].map((scaler) => candidate({ 'features.scaler': scaler }));
  const tried = new Set([identity(task, candidate({ 'features.scaler': 'standard' }).point)]);
  const left = [...fresh({ task, from, tried }, list)].map(({ point }) => point['features.scaler']);
  expect(left).toEqual(['minmax', 'robust']);
});

test('no more candidates are made than are asked for', () => {
  let made = 0;
  function* endless() {
    for (;;) yield candidate({ 'training.iterations': 11 + made++ });
  }
  expect(nth(fresh({ task, from, tried: new Set() }, endless()), 2)?.point['training.iterations']).toBe(13);
  expect(made).toBe(3);
  expect(nth([1], 1)).toBeUndefined();
});

test('changes are told from what to what, without keys that merely come into use', () => {
  expect(changesText(task, from, candidate({ 'model.family': 'svm', 'svm.gamma': 3 }).point)).toBe(
    'model.family from logistic to svm, svm.gamma from 1 to 3',
  );
  expect([text(undefined), text(false), text(0.5)]).toEqual(['nothing', 'false', '0.5']);
});
