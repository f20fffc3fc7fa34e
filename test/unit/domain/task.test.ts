import { describe, expect, it } from 'vitest';
import { activeKeys, Component, defaultParameters, isAllowed, Task, taskFiles } from '../../../src/domain/task.ts';

const int = { type: 'int', min: 1, max: 9, default: 3, group: 'g' };
const choice = { type: 'choice', values: ['a', 'b'], default: 'a', group: 'g' };
const task = (change: Record<string, unknown> = {}): unknown => ({
  name: 'mine',
  goal: 'be good',
  metric: { name: 'score', direction: 'maximize' },
  datasets: ['one'],
  entry: 'train.py',
  components: { kind: choice, depth: { ...int, when: { kind: ['b'] } }, flag: { type: 'bool', default: false, group: 'g' } },
  ...change,
});

const problems = (change: Record<string, unknown>): string[] =>
  Task.safeParse(task(change)).error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];

describe('Task', () => {
  it('fits when its parts fit each other', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ family: 'kind', frozen: ['depth'], plot: 'plot.py', files: ['a.py'] })).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ datasets: ['a', 'b', 'a'] }, 'datasets: a is named twice'],
    [{ plot: 'train.py' }, 'files: train.py is named twice'],
    [{ files: ['a.py', 'a.py'] }, 'files: a.py is named twice'],
    [{ frozen: ['flag', 'none'] }, 'frozen.1: there is no component named none'],
    [{ frozen: ['toString'] }, 'frozen.0: there is no component named toString'],
    [{ family: 'none' }, 'family: none must be a component of type choice'],
    [{ family: 'depth' }, 'family: depth must be a component of type choice'],
    [{ family: 'kind', frozen: ['kind'] }, 'family: kind is frozen, so drafts could not differ in it'],
    [{ components: { 'train.py': int } }, 'components.train.py: a component cannot be named like a file of the task'],
    [{ components: { a: { ...int, min: 10 } } }, 'components.a: min 10 is above max 9'],
    [{ components: { a: { ...int, min: 0, log: true } } }, 'components.a: a log range starts above 0'],
    [{ components: { a: { ...int, default: 10 } } }, 'components.a: the default 10 is outside the range'],
    [{ components: { a: { ...choice, default: 'c' } } }, 'components.a: the default c is outside the range'],
    [{ components: { a: { ...int, ablated: 'x' } } }, 'components.a: the ablated value x is of another type'],
    [{ components: { a: { ...int, ablated: 0.5 } } }, 'components.a: the ablated value 0.5 is of another type'],
    [{ components: { a: { ...choice, ablated: 'c' } } }, 'components.a: the ablated value c is of another type'],
    [{ components: { a: { ...int, when: { none: [1] } } } }, 'components.a: when names none, which is no component'],
    [
      { components: { kind: choice, a: { ...int, when: { kind: ['b', 'c'] } } } },
      'components.a: when names values that kind never has: c',
    ],
  ])('with %j is refused', (change, words) => {
    expect(problems(change)).toContain(words);
  });

  it('may ablate a number to a value outside the range that is searched', () => {
    expect(problems({ components: { a: { ...int, ablated: 0 } } })).toEqual([]);
  });

  it.each(['../train.py', 'a/b.py', '.hidden', 'noending', '/etc/passwd', 'a.py\n'])(
    'does not take %j for a file of its folder',
    (entry) => {
      expect(problems({ entry })).toEqual([expect.stringContaining('named without a folder')]);
    },
  );
});

describe('isAllowed', () => {
  it.each<[Record<string, unknown>, unknown, boolean]>([
    [int, 1, true],
    [int, 9, true],
    [int, 10, false],
    [int, 1.5, false],
    [int, '3', false],
    [{ ...int, type: 'float' }, 1.5, true],
    [{ ...int, type: 'float' }, 0.9, false],
    [choice, 'b', true],
    [choice, 'c', false],
    [{ type: 'bool', default: true, group: 'g' }, true, true],
    [{ type: 'bool', default: true, group: 'g' }, 1, false],
  ])('of %j: %j is %s', (component, value, allowed) => {
    expect(isAllowed(Component.parse(component), Component.options[0].shape.default.parse(value))).toBe(allowed);
  });
});

describe('the keys of a task', () => {
  const parsed = Task.parse(task());

  it('count while their condition holds', () => {
    expect(activeKeys(parsed, { kind: 'a' })).toEqual(['flag', 'kind']);
    expect(activeKeys(parsed, { kind: 'b' })).toEqual(['depth', 'flag', 'kind']);
    expect(activeKeys(parsed, {})).toEqual(['flag', 'kind']);
  });

  it('have defaults', () => {
    expect(defaultParameters(parsed)).toEqual({ kind: 'a', depth: 3, flag: false });
  });
});

describe('taskFiles', () => {
  it('has the entry first, then plot and the others', () => {
    expect(taskFiles(Task.parse(task({ plot: 'p.py', files: ['a.py'] })))).toEqual(['train.py', 'p.py', 'a.py']);
    expect(taskFiles(Task.parse(task()))).toEqual(['train.py']);
  });
});
