import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../../src/domain/item.ts';
import { bestNode } from '../../../src/domain/journal.ts';
import type { PolicyInput } from '../../../src/search/policy.ts';
import { nextAblation, nextTuning } from '../../../src/search/targets.ts';
import { stageDefinition, testPlan } from '../../support/plan.ts';
import { policyInput, sketchedNode, tree, type InputChange, type Sketch } from '../../support/tree.ts';

const base = sketchedNode({ id: 1, metric: 0.5 });
const tuning = (change: InputChange = {}) =>
  policyInput({ stage: stageDefinition('baseline_tuning'), journal: tree([], { base }), ...change });
const ablating = (change: InputChange = {}) =>
  policyInput({ stage: stageDefinition('ablation_studies'), journal: tree([], { base }), ...change });
const tune = (parent: number, target: string) => nodeItem('tune', nodeId(parent), target, 0);

/** The input with components of these keys, all of them active. */
const withKeys = (input: PolicyInput, keys: readonly string[], property: object = {}): PolicyInput => ({
  ...input,
  plan: { ...input.plan, components: keys.map((key) => ({ key, group: 'all', tunable: true, ablatable: true, ...property })) },
  activeKeys: keys,
});

/** The first `count` targets when each is chosen while those before it are being worked on. */
const inARow = (next: typeof nextTuning, input: PolicyInput, count: number): string[] => {
  const busy: NodeItem[] = [];
  for (let i = 0; i < count; i++) {
    const work = next(input, busy);
    if (work !== null) busy.push(nodeItem('tune', work.parent, work.target, i));
  }
  return busy.map(({ target }) => target ?? '');
};

describe('tuning', () => {
  test('builds on the best node so far rather than on the base', () => {
    const better = tree([{ id: 2, parent: 1, operator: 'tune', target: 'x', metric: 0.6 }], { base });
    const worse = tree([{ id: 2, parent: 1, operator: 'tune', target: 'x', metric: 0.4 }], { base });
    expect(nextTuning(tuning({ journal: better }), [])?.parent).toBe('n2');
    expect(nextTuning(tuning({ journal: worse }), [])?.parent).toBe('n1');
    expect(nextTuning(tuning({ journal: worse, direction: 'minimize' }), [])?.parent).toBe('n2');
  });

  test('goes through the keys evenly while the best node changes', () => {
    const sketches: Sketch[] = [];
    for (let id = 2; id <= 13; id++) {
      const input = tuning({ journal: tree(sketches, { base }) });
      const work = nextTuning(input, []);
      const best = bestNode(input.journal, 'maximize');
      expect(work?.parent).toBe(best?.id);
      sketches.push({
        id,
        parent: Number(work?.parent.slice(1)),
        operator: 'tune',
        target: work?.target ?? '',
        metric: id % 3 === 0 ? id : 0,
      });
    }
    const times = ['x', 'y', 'z'].map((key) => sketches.filter(({ target }) => target === key).length);
    expect(times).toEqual([4, 4, 4]);
    expect(new Set(sketches.slice(0, 3).map(({ target }) => target)).size).toBe(3);
  });

  test('gives each worker another key, and one again only when all are taken', () => {
    const keys = inARow(nextTuning, tuning(), 7);
    expect(keys.slice(0, 3).sort()).toEqual(['x', 'y', 'z']);
    expect(keys.slice(3, 6).sort()).toEqual(['x', 'y', 'z']);
  });

  test('leaves a key alone that another worker has, even when it was tuned least', () => {
    const tried = { 'tune:n1:x': 5, 'tune:n1:y': 7, 'tune:n1:z': 1 };
    expect(nextTuning(tuning({ tried }), [])?.target).toBe('z');
    expect(nextTuning(tuning({ tried }), [tune(1, 'z')])?.target).toBe('x');
  });

  test('takes keys in an order that the seed decides', () => {
    const order = (seed: number) => inARow(nextTuning, tuning({ seed }), 3).join('');
    expect(order(5)).toBe(order(5));
    const orders = new Set(Array.from({ length: 60 }, (_, seed) => order(seed)));
    expect(orders.size).toBe(6);
  });

  test('takes keys that can be tuned and count for the base', () => {
    const { components } = testPlan();
    const some = components.map((component) => ({ ...component, tunable: component.key !== 'y' }));
    const input = tuning({ activeKeys: ['x', 'y'] });
    expect(new Set(inARow(nextTuning, { ...input, plan: { ...input.plan, components: some } }, 4))).toEqual(new Set(['x']));
  });

  test('skips keys with nothing left to try on the best node, and ends without any', () => {
    expect(new Set(inARow(nextTuning, tuning({ exhausted: ['tune:n1:x', 'tune:n1:z', 'tune:n2:y'] }), 3))).toEqual(
      new Set(['y']),
    );
    expect(nextTuning(tuning({ exhausted: ['tune:n1:x', 'tune:n1:y', 'tune:n1:z'] }), [])).toBeNull();
    expect(nextTuning(tuning({ activeKeys: [] }), [])).toBeNull();
  });

  test('has nothing to build on while there is no good node', () => {
    expect(nextTuning(tuning({ journal: tree([], { base: sketchedNode({ id: 1 }) }) }), [])).toBeNull();
  });

  test('counts a key by its whole name', () => {
    const input = withKeys(tuning({ tried: { 'tune:n1:model.x': 5, 'tune:n2:x': 1, 'ablate:n1:x': 9 } }), ['x', 'model.x']);
    expect(nextTuning(input, [])?.target).toBe('x');
    expect(
      nextTuning(withKeys(tuning({ tried: { 'tune:n1:model.x': 5, 'tune:n9:x': 3, 'tune:n1:x': 3 } }), ['x', 'model.x']), [])
        ?.target,
    ).toBe('model.x');
  });
});

describe('ablation', () => {
  test('takes each component once, in the order of the task', () => {
    expect(inARow(nextAblation, ablating(), 5)).toEqual(['x', 'y', 'z']);
    expect(inARow(nextAblation, withKeys(ablating(), ['c', 'a', 'b']), 5)).toEqual(['c', 'a', 'b']);
  });

  test('takes pairs after the single ones, and only when they are wanted', () => {
    const singles = { 'ablate:n1:x': 1, 'ablate:n1:y': 1, 'ablate:n1:z': 1 };
    expect(nextAblation(ablating({ tried: singles }), [])).toBeNull();
    const wanted = { ablationPairs: true };
    expect(inARow(nextAblation, ablating({ search: wanted }), 9)).toEqual(['x', 'y', 'z', 'x+y', 'x+z', 'y+z']);
    expect(nextAblation(ablating({ tried: singles, search: wanted }), [])).toEqual({ parent: 'n1', target: 'x+y' });
  });

  test('is not tried again, whether it failed, was dropped or is being made', () => {
    expect(nextAblation(ablating({ tried: { 'ablate:n1:x': 1 } }), [])?.target).toBe('y');
    expect(nextAblation(ablating({ tried: { 'ablate:n1:x': 2 } }), [])?.target).toBe('y');
    expect(nextAblation(ablating(), [nodeItem('ablate', nodeId(1), 'x', 0)])?.target).toBe('y');
  });

  test('is of the base, also when another node is better', () => {
    const journal = tree([{ id: 2, parent: 1, operator: 'ablate', target: 'x', metric: 0.9 }], { base });
    expect(nextAblation(ablating({ journal }), [])).toEqual({ parent: 'n1', target: 'y' });
  });

  test('takes components that have an ablated value and count for the base', () => {
    const input = ablating({ activeKeys: ['z', 'y'] });
    expect(inARow(nextAblation, input, 5)).toEqual(['y', 'z']);
    expect(nextAblation(withKeys(input, ['x'], { ablatable: false }), [])).toBeNull();
  });

  test('has nothing to take apart without a base that works', () => {
    expect(nextAblation(ablating({ journal: tree([]) }), [])).toBeNull();
    expect(nextAblation(ablating({ journal: tree([], { base: sketchedNode({ id: 1 }) }) }), [])).toBeNull();
  });

  test('is of the first good repair when the base fails on the datasets of the stage', () => {
    const journal = tree(
      [
        { id: 2, parent: 1, operator: 'debug' },
        { id: 3, parent: 1, operator: 'debug', metric: 0.4 },
        { id: 4, parent: 3, operator: 'ablate', target: 'x', metric: 0.9 },
      ],
      { base: sketchedNode({ id: 1 }) },
    );
    expect(nextAblation(ablating({ journal }), [])?.parent).toBe('n3');
  });
});
