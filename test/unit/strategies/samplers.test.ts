import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  noSamples,
  pick,
  SamplerState,
  taskStats,
  withDiscard,
  withPick,
  withTrial,
  type SamplerRule,
} from '../../../src/strategies/samplers.ts';
import { throughJson } from '../../../src/strategies/own/plan-rules.ts';

const tasks = ['a', 'b', 'c'];
const difficulty: SamplerRule = { by: 'difficulty', c: 0.2, temperature: 0 };
const tried = (state: SamplerState, task: string, results: readonly boolean[]): SamplerState =>
  results.reduce((before, passed) => withTrial(withPick(before), task, passed), state);

describe('by turn', () => {
  test('the tasks come one after the other and around again, also for a negative turn', () => {
    expect([0, 1, 2, 3, -1].map((turn) => pick({ by: 'turn', turn }, noSamples(), tasks))).toEqual([0, 1, 2, 0, 2]);
  });
});

describe('by difficulty', () => {
  test('a task that was never tried comes before all others, the first of several', () => {
    const state = tried(noSamples(), 'a', [true, false]);
    expect(pick(difficulty, state, tasks)).toBe(1);
  });

  test('a task that passes now and then comes before those that always or never do', () => {
    const settled = tried(tried(noSamples(), 'a', [true, true, true, true]), 'b', [false, false, false, false]);
    expect(pick(difficulty, tried(settled, 'c', [true, false, true, false]), tasks)).toBe(2);
  });

  test('the first of equal ones is taken, also when it is there twice', () => {
    expect(pick(difficulty, noSamples(), ['z', 'a', 'z'])).toBe(0);
  });

  test('a task whose work was dropped comes sooner the more often it was, up to ten times', () => {
    const rule: SamplerRule = { by: 'difficulty', c: 0.2, temperature: 0.3 };
    const even = tried(tried(noSamples(), 'a', [true, false]), 'b', [true, true]);
    const dropped = (times: number): SamplerState =>
      Array.from({ length: times }).reduce<SamplerState>((state) => withDiscard(state, 'b'), even);
    expect(pick(rule, even, ['a', 'b'])).toBe(0);
    expect(pick(rule, dropped(4), ['a', 'b'])).toBe(1);
    expect(pick(difficulty, dropped(4), ['a', 'b'])).toBe(0);
    const weak: SamplerRule = { by: 'difficulty', c: 0.2, temperature: 0.09 };
    expect(pick(weak, dropped(10), ['a', 'b'])).toBe(0);
    expect(pick(weak, dropped(50), ['a', 'b'])).toBe(0);
    expect(pick({ ...weak, temperature: 0.11 }, dropped(50), ['a', 'b'])).toBe(1);
  });
});

test('nothing can be picked from no tasks', () => {
  for (const rule of [difficulty, { by: 'turn', turn: 0 } as const])
    expect(() => pick(rule, noSamples(), [])).toThrow(new RangeError('there is no task to pick from'));
});

describe('what a sampler has learned', () => {
  test('counts picks, trials, passes and discards of each task', () => {
    const state = withDiscard(tried(noSamples(), 'a', [true, false]), 'b');
    expect(state.picks).toBe(2);
    expect(taskStats(state, 'a')).toEqual({ task: 'a', trials: 2, passes: 1, discarded: 0 });
    expect(taskStats(state, 'b')).toEqual({ task: 'b', trials: 0, passes: 0, discarded: 1 });
    expect(taskStats(state, 'c')).toEqual({ task: 'c', trials: 0, passes: 0, discarded: 0 });
  });

  test('stays bounded; the task that was longest not heard of is forgotten first', () => {
    const names = Array.from({ length: 256 }, (_, index) => `t${index}`);
    const full = names.reduce((state, task) => withTrial(state, task, true), noSamples());
    const more = withTrial(withDiscard(full, 't0'), 'new', false);
    expect(more.tasks).toHaveLength(256);
    expect(taskStats(more, 't0')).toMatchObject({ trials: 1, discarded: 1 });
    expect(taskStats(more, 't1').trials).toBe(0);
    expect(taskStats(more, 'new').trials).toBe(1);
  });

  test('survives being written and read, and then gives the same picks', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', '__proto__', '😀'), fc.constantFrom('pass', 'fail', 'discard'));
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.constantFrom('a', 'b', '__proto__'), { minLength: 1 }),
        (steps, list) => {
          const state = steps.reduce<SamplerState>(
            (before, [task, what]) => (what === 'discard' ? withDiscard(before, task) : tried(before, task, [what === 'pass'])),
            noSamples(),
          );
          const read = SamplerState.parse(throughJson(state));
          expect(read).toEqual(state);
          expect(pick(difficulty, read, list)).toBe(pick(difficulty, state, list));
        },
      ),
    );
  });
});
