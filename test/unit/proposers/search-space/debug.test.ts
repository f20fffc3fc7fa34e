import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem } from '../../../../src/domain/item.ts';
import type { PastNode } from '../../../../src/domain/proposal.ts';
import { debug } from '../../../../src/proposers/search-space/debug.ts';
import { differingKeys } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { broken, contextFor, contextFrom, past, pointOf } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('digits'));
const item = (ordinal = 0) => nodeItem('debug', nodeId(2), null, ordinal);
const bayes = { 'model.family': 'naive_bayes' };
const NEGATIVE = 'ValueError: Negative values in data passed to MultinomialNB (input X).';

const contextOf = (parent: PastNode, before: readonly PastNode[]) => contextFrom(task, item(), parent, [...before, parent]);

describe('a node that differs from one that works', () => {
  const works = past(task, 1, bayes, 0.8);
  const parent = broken(task, 2, { ...bayes, 'features.scaler': 'standard', 'bayes.smoothing': 1 }, NEGATIVE, {
    label: 'naive_bayes',
  });

  test('gets one of its keys back, and keeps its label', () => {
    const context = contextOf(parent, [works]);
    const proposal = debug(context);
    const point = pointOf(context, proposal);
    expect(differingKeys(task, point, parent.parameters)).toHaveLength(1);
    expect(differingKeys(task, point, works.parameters)).toHaveLength(1);
    expect(proposal).toMatchObject({
      label: 'naive_bayes',
      plan: expect.stringMatching(/^Repair: .* back to .*, as in a node that works\.$/),
    });
  });

  test('the key that the failure names comes first', () => {
    const named = (message: string) => {
      const context = contextOf({ ...parent, failure: { reason: 'exception', message } }, [works]);
      return differingKeys(task, pointOf(context, debug(context)), parent.parameters);
    };
    expect(named('ValueError: smoothing is too small')).toEqual(['bayes.smoothing']);
    expect(named('ValueError: the scaler cannot work')).toEqual(['features.scaler']);
    expect(named('KeyError: features.scaler')).toEqual(['features.scaler']);
  });

  test('a value that only broken nodes have is suspected before one that works elsewhere', () => {
    const other = past(task, 3, { 'features.scaler': 'standard' }, 0.9);
    const context = contextOf({ ...parent, failure: { reason: 'exit_code', message: 'exit code 1' } }, [works, other]);
    expect(differingKeys(task, pointOf(context, debug(context)), parent.parameters)).toEqual(['bayes.smoothing']);
  });

  test('after two repairs in a row all suspects but one go back at once', () => {
    const reference = past(task, 1, { ...bayes, 'features.reduction': 'pca' }, 0.8);
    const first = broken(task, 3, { ...bayes, 'features.scaler': 'robust' }, NEGATIVE, { operator: 'debug' });
    const second = { ...parent, operator: 'debug', parent: nodeId(3) };
    const context = contextOf(second, [reference, first]);
    const left = (at: typeof context) => differingKeys(task, pointOf(at, debug(at)), reference.parameters);
    expect(left(context)).toHaveLength(1);
    expect(left({ ...context, parent: { ...second, operator: 'improve' } }).length).toBeGreaterThan(1);
  });
});

test('the ancestor that works is the reference, even when another node is more alike', () => {
  const ancestor = past(task, 1, { ...bayes, 'bayes.smoothing': 1 }, 0.7);
  const alike = past(task, 3, { ...bayes, 'features.scaler': 'minmax', 'bayes.kind': 'gaussian' }, 0.9);
  const parent = broken(task, 2, { ...bayes, 'features.scaler': 'standard' }, 'no', { parent: nodeId(1) });
  const context = contextOf(parent, [ancestor, alike]);
  const away = (values: PastNode['parameters']) => differingKeys(task, values, ancestor.parameters).length;
  expect([away(parent.parameters), away(pointOf(context, debug(context)))]).toEqual([2, 1]);
});

test('a tuning that broke gets another value instead of its parent again', () => {
  const works = past(task, 1, bayes, 0.8);
  const parent = broken(task, 2, { ...bayes, 'features.scaler': 'standard' }, NEGATIVE, {
    parent: nodeId(1),
    operator: 'tune',
    label: 'features.scaler',
  });
  const context = contextOf(parent, [works]);
  const point = pointOf(context, debug(context));
  expect(differingKeys(task, point, works.parameters).length).toBeGreaterThan(0);
});

test('an ablation that broke stays ablated: another key is changed', () => {
  const works = past(
    task,
    1,
    { ...bayes, 'features.scaler': 'minmax', 'features.reduction': 'select_k_best', 'features.score': 'chi2' },
    0.8,
  );
  const parent = broken(task, 2, { ...works.parameters, 'features.scaler': 'none' }, 'Input X must be non-negative.', {
    parent: nodeId(1),
    operator: 'ablate',
    label: 'features.scaler',
    stage: 'ablation_studies',
  });
  const context = contextOf(parent, [works]);
  for (let pending = 0; pending < 5; pending++) {
    const proposal = debug({ ...context, pending });
    expect(pointOf(context, proposal)['features.scaler']).toBe('none');
    expect(proposal).toMatchObject({ label: 'features.scaler' });
  }
});

test('where nothing works yet, other values are tried', () => {
  const parent = broken(task, 2, {}, 'RuntimeError: no');
  const context = contextOf(parent, []);
  expect(differingKeys(task, pointOf(context, debug(context)), parent.parameters).length).toBeGreaterThan(0);
});

test('a node whose proposal was unusable starts from the program as it was', () => {
  const parent: PastNode = {
    ...broken(task, 2, {}, 'not JSON'),
    parameters: {},
    failure: { reason: 'proposal_malformed', message: 'not JSON' },
  };
  const context = contextFor(task, item(), { parent, past: [parent] });
  expect(debug(context)).toMatchObject({ status: 'proposed', edit: { parameters: {} } });
  const tried = { ...context, past: [parent, past(task, 1, {}, 0.9)] };
  expect(differingKeys(task, pointOf(tried, debug(tried)), context.base.parameters).length).toBeGreaterThan(0);
});
