import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import { isAllowed } from '../../../../src/domain/task.ts';
import { differingKeys, distance, identity, openKeys, valuesOf } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFor, past } from '../../../support/proposals.ts';

const tasks = await Promise.all(['digits', 'probe'].map((name) => loadTask(taskFolder(name))));
const [digits, probe] = tasks;
if (digits === undefined || probe === undefined) throw new TypeError('no tasks');

describe('values', () => {
  test('lie in the range, without doubles, the bounds included', () => {
    for (const task of tasks) {
      for (const [key, component] of Object.entries(task.components)) {
        const values = valuesOf(task, key);
        expect(
          values.filter((value) => !isAllowed(component, value)),
          key,
        ).toEqual([]);
        expect(new Set(values).size, key).toBe(values.length);
        if ('min' in component) expect([values[0], values.at(-1)], key).toEqual([component.min, component.max]);
      }
    }
  });

  test('of a log range are spread evenly over its decades', () => {
    const values = valuesOf(digits, 'model.regularisation').map(Number);
    const steps = values.slice(1).map((value, index) => Math.log10(value / (values[index] ?? 1)));
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(0.02);
  });

  test('of a small whole range are all of them', () => {
    expect(valuesOf(probe, 'y')).toEqual(Array.from({ length: 21 }, (_, index) => index));
    expect(valuesOf(probe, 'sharp')).toEqual([false, true]);
    expect(valuesOf(probe, 'no.such.key')).toEqual([]);
  });
});

describe('points', () => {
  const [logistic, svm] = [past(digits, 1, {}).parameters, past(digits, 1, { 'model.family': 'svm' }).parameters];

  test('are equal when they differ only in keys that do not count', () => {
    expect(identity(digits, logistic)).toBe(identity(digits, { ...logistic, 'svm.kernel': 'poly' }));
    expect(identity(digits, svm)).not.toBe(identity(digits, { ...svm, 'svm.kernel': 'poly' }));
  });

  test('differ in a key that counts at only one of them', () => {
    expect(differingKeys(digits, logistic, svm)).toEqual(['model.family', 'svm.gamma', 'svm.kernel', 'training.iterations']);
  });

  test('distance runs along the log range, and is all or nothing for choices', () => {
    expect(distance(digits, 'model.regularisation', 0.0001, 1)).toBeCloseTo(0.5);
    expect(distance(probe, 'y', 5, 10)).toBeCloseTo(0.25);
    expect([distance(probe, 'z', 'low', 'high'), distance(probe, 'z', 'low', 'low'), distance(probe, 'y', undefined, 3)]).toEqual(
      [1, 0, 1],
    );
  });
});

test('open are the keys that count, are not frozen, are allowed and have more than one value', () => {
  const context = contextFor(probe, nodeItem('tune', null, null, 0));
  expect(openKeys(context, context.base.parameters)).toEqual(['family', 'sharp', 'x', 'y', 'z']);
  expect(openKeys({ ...context, allowedKeys: ['x', 'rate', 'knob.fail'] }, context.base.parameters)).toEqual(['x']);
  expect(openKeys(context, { ...context.base.parameters, family: 'wave' })).toContain('rate');
});
