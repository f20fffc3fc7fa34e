import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import type { PastNode } from '../../../../src/domain/proposal.ts';
import { randomStream } from '../../../../src/domain/random.ts';
import { rankedValues, triedPoints } from '../../../../src/proposers/search-space/evidence.ts';
import { identity } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { broken, contextFor, contextFrom, past } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const item = nodeItem('tune', nodeId(1), 'features.scaler', 0);
const base = past(task, 1, {}, 0.5);

function ranked(nodes: readonly PastNode[], direction: 'maximize' | 'minimize' = 'maximize') {
  const context = { ...contextFrom(task, item, base, [base, ...nodes]), metric: { ...task.metric, direction } };
  return rankedValues(context, { key: 'features.scaler', point: base.parameters }, randomStream(1, 'test'));
}

const scaled = (number: number, scaler: string, metric: number | null, rest: Record<string, unknown> = {}) =>
  metric === null
    ? broken(task, number, { 'features.scaler': scaler, 'training.iterations': 99 }, 'no', rest)
    : past(task, number, { 'features.scaler': scaler, 'training.iterations': 99 }, { metric, scores: { a: metric }, ...rest });

describe('the order of values', () => {
  test('leaves out the value that is there', () => {
    expect([...ranked([])].sort()).toEqual(['minmax', 'robust', 'standard']);
  });

  test('prefers what did well elsewhere, then the unknown, then what did badly', () => {
    expect(ranked([scaled(2, 'standard', 0.9), scaled(3, 'minmax', 0.1)])).toEqual(['standard', 'robust', 'minmax']);
  });

  test('turns round with the direction of the metric', () => {
    expect(ranked([scaled(2, 'standard', 0.9), scaled(3, 'minmax', 0.1)], 'minimize')).toEqual(['minmax', 'robust', 'standard']);
  });

  test('E2: what broke counts as the worst, unless the platform or a person ended it', () => {
    const reason = (why: 'exception' | 'cancelled') => ({ failure: { reason: why, message: 'no' } });
    const last = (why: 'exception' | 'cancelled') =>
      ranked([scaled(2, 'standard', 0.9), scaled(3, 'minmax', 0.2), scaled(4, 'robust', null, reason(why))]);
    expect(last('exception').indexOf('robust')).toBeGreaterThan(0);
    expect(last('cancelled')).toEqual(['standard', 'robust', 'minmax']);
  });

  test('E1: a node that was not measured on the parent’s datasets says nothing', () => {
    const elsewhere = scaled(2, 'minmax', 0.99, { scores: { b: 0.99 } });
    expect(ranked([elsewhere, scaled(3, 'standard', 0.6)])[0]).toBe('standard');
    expect(ranked([{ ...elsewhere, scores: { a: 0.99, b: 0.5 } }, scaled(3, 'standard', 0.6)])[0]).toBe('minmax');
  });

  test('E3: one node that differs in nothing else is believed against three that differ in much', () => {
    const far = { 'training.balanced': true, 'features.reduction': 'pca', 'model.regularisation': 0.01 };
    const near = [past(task, 2, { 'features.scaler': 'standard' }, 0.9), past(task, 3, { 'features.scaler': 'minmax' }, 0.1)];
    const distant = [50, 60, 70].flatMap((steps, index) => [
      past(task, 4 + index, { 'features.scaler': 'standard', ...far, 'training.iterations': steps }, 0.1),
      past(task, 14 + index, { 'features.scaler': 'minmax', ...far, 'training.iterations': steps }, 0.9),
    ]);
    const order = ranked([...near, ...distant]);
    expect(order.indexOf('standard')).toBeLessThan(order.indexOf('minmax'));
  });
});

test('tried is what was measured on the parent’s datasets, or broke', () => {
  const nodes = [scaled(2, 'standard', 0.9), scaled(3, 'minmax', 0.9, { scores: { b: 0.9 } }), scaled(4, 'robust', null)];
  const tried = triedPoints(contextFrom(task, item, base, [base, ...nodes]));
  expect([base, ...nodes].map(({ parameters }) => tried.has(identity(task, parameters)))).toEqual([true, true, false, true]);
});

test('nothing is tried where nothing was measured', () => {
  expect(triedPoints(contextFor(task, item)).size).toBe(0);
});
