import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { Task } from '../../../../src/domain/task.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { draft, familiesOf } from '../../../../src/proposers/search-space/draft.ts';
import { differingKeys, identity } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFor, past, play, pointOf } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const draftAt = (ordinal: number, seed = 1) => contextFor(task, nodeItem('draft', null, null, ordinal), { seed });

test('the first draft is the program as it is, under the name of its family', () => {
  expect(draft(draftAt(0))).toEqual({
    status: 'proposed',
    edit: { parameters: {}, files: {} },
    label: 'logistic',
    plan: 'Try model.family logistic with everything else at its default.',
  });
});

test('each of the first drafts takes another family, in an order that the seed decides', () => {
  const labels = (seed: number) =>
    Array.from({ length: 7 }, (_, ordinal) => {
      const proposal = draft(draftAt(ordinal, seed));
      return proposal.status === 'proposed' ? proposal.label : proposal.status;
    });
  expect(new Set(labels(1)).size).toBe(7);
  expect(labels(1)).toEqual(familiesOf(draftAt(0)));
  expect(labels(2)).not.toEqual(labels(1));
  expect(labels(2)[0]).toBe('logistic');
});

test('when the families are through, a draft varies two or three other keys of the next family', () => {
  const context = draftAt(8);
  const point = pointOf(context, draft(context));
  const root = pointOf(draftAt(1), draft(draftAt(1)));
  expect(point['model.family']).toBe(root['model.family']);
  expect([2, 3]).toContain(differingKeys(task, root, point).filter((key) => root[key] !== point[key]).length);
});

test('a variant that was tried before is not drafted again', () => {
  const context = draftAt(8);
  const first = pointOf(context, draft(context));
  const again = { ...context, past: [past(task, 1, first, 0.9)] };
  expect(identity(task, pointOf(again, draft(again)))).not.toBe(identity(task, first));
});

test('a task without families drafts its defaults, then variants until none is left', async () => {
  const { family, ...rest } = task;
  expect(family).toBe('model.family');
  const small = {
    ...rest,
    components: { 'features.scaler': { ...task.components['features.scaler'], values: ['none', 'standard'] } },
  };
  const start = contextFor(Task.parse(small), nodeItem('draft', null, null, 0));
  const { past: made, end } = await play({ propose: (context) => Promise.resolve(draft(context)) }, start, {
    steps: 9,
    measure: () => 0.5,
  });
  expect(made.map(({ parameters }) => parameters['features.scaler'])).toEqual(['none', 'standard']);
  expect(end).toBe('no variant of default is left to draft');
});
