import { describe, expect, it } from 'vitest';
import { isFromSet, withSets } from '../../../src/adapters/config-sets.ts';

const value = (sets: Record<string, string | number | boolean>, before: unknown = {}) => withSets(before, sets).value;

describe('withSets', () => {
  it.each<[string, unknown]>([
    ['2', 2],
    ['0.5', 0.5],
    ['true', true],
    ['null', null],
    ['', null],
    ['async', 'async'],
    ['cpu:2', 'cpu:2'],
    ['gpu:0,1', 'gpu:0,1'],
    ['find: it', 'find: it'],
    ['a # b', 'a # b'],
    ["'2'", '2'],
    ['[1, a]', [1, 'a']],
    ['{a: 1}', { a: 1 }],
    ['*alias', '*alias'],
    ['!!tag x', '!!tag x'],
    ['@x', '@x'],
    ['- a', '- a'],
  ])('reads %j as a person means it', (text, meant) => {
    expect(value({ k: text })).toEqual({ k: meant });
  });

  it('takes numbers and truth values as they are', () => {
    expect(value({ a: 3, b: false })).toEqual({ a: 3, b: false });
  });

  it('changes one key of a section, makes sections, and leaves all else', () => {
    const before = { agent: { num_workers: 4, search: { num_drafts: 3 } }, task: 'x' };
    expect(value({ 'agent.search.num_drafts': '5', 'exec.timeout': '9s' }, before)).toEqual({
      agent: { num_workers: 4, search: { num_drafts: 5 } },
      task: 'x',
      exec: { timeout: '9s' },
    });
    expect(before.agent.search.num_drafts).toBe(3);
  });

  it('lets a later change win', () => {
    expect(value({ agent: '{type: parallel, steps: 3}', 'agent.type': 'sequential' })).toEqual({
      agent: { type: 'sequential', steps: 3 },
    });
  });

  it('starts from nothing for an empty file', () => {
    expect(value({ 'a.b': '1' }, null)).toEqual({ a: { b: 1 } });
  });

  it('leaves a value without changes as it is', () => {
    expect(value({}, [1])).toEqual([1]);
  });

  it('says which change cannot be made, and makes the others', () => {
    const { value: changed, problems } = withSets({ task: 'x' }, { 'task.y': '1', list: '[1', seed: '2' });
    expect(changed).toEqual({ task: 'x', seed: 2 });
    expect(problems.map(({ path, what }) => `${path.join('.')}: ${what}`)).toEqual([
      'task.y: what stands above this key in the file is no section',
      expect.stringMatching(/^list: this value cannot be read/),
    ]);
  });

  it('cannot reach an object’s prototype', () => {
    const changed = value({ '__proto__.polluted': '1', 'constructor.prototype.polluted': '1' });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });
});

describe('isFromSet', () => {
  it('tells a problem with a change from one with the file', () => {
    const sets = { 'agent.num_workers': '0', 'foo.bar': '1' };
    expect(isFromSet({ path: ['agent', 'num_workers'] }, sets, { agent: {} })).toBe(true);
    expect(isFromSet({ path: ['agent', 'type'] }, sets, { agent: {} })).toBe(false);
    expect(isFromSet({ path: ['agent'] }, sets, { agent: 5 })).toBe(false);
    expect(isFromSet({ path: ['foo'] }, sets, {})).toBe(true);
  });
});
