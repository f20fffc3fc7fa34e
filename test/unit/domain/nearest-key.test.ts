import { describe, expect, it } from 'vitest';
import { configKeys, dottedKeys } from '../../../src/domain/config-schema.ts';
import { editDistance, nearestKey } from '../../../src/domain/nearest-key.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['taks', 'task', 1],
    ['ca', 'abc', 3],
    ['same', 'same', 0],
  ])('from %j to %j takes %d steps', (a, b, steps) => {
    expect(editDistance(a, b)).toBe(steps);
  });
});

describe('nearestKey', () => {
  it.each([
    ['agent.num_workrs', 'agent.num_workers'],
    ['num_workers', 'agent.num_workers'],
    ['workers', 'agent.num_workers'],
    ['agent.numWorkers', 'agent.num_workers'],
    ['agent.num-workers', 'agent.num_workers'],
    ['exec.timout', 'exec.timeout'],
    ['seach.patience', 'search.patience'],
    ['seach', 'search'],
    ['agent.stage3_max_iters', 'agent.stages.stage3_max_iters'],
    ['tasks', 'task'],
    ['device', 'devices'],
  ])('takes %s for %s', (typed, meant) => {
    expect(nearestKey(typed, dottedKeys(configKeys()))).toBe(meant);
  });

  it('takes the earlier of two that are equally near, and nothing from nothing', () => {
    expect(nearestKey('b', ['a', 'c'])).toBe('a');
    expect(nearestKey('b', [])).toBeUndefined();
  });

  it('answers for a key of any length at once', () => {
    expect(nearestKey('x'.repeat(100_000), ['task', 'seed'])).toBeDefined();
  });
});
