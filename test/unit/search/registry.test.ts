import { describe, expect, test } from 'vitest';
import { POLICIES, policyNamed } from '../../../src/search/registry.ts';

describe('the policies', () => {
  test('are found by name', () => {
    for (const policy of POLICIES) expect(policyNamed(policy.name)).toBe(policy);
  });

  test('have names of their own in snake_case', () => {
    const names = POLICIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  test('are refused by an unknown name with those that there are', () => {
    expect(() => policyNamed('breadth_first')).toThrow(
      expect.objectContaining({
        type: 'ConfigInvalid',
        message: 'there is no policy named breadth_first',
        fix: 'choose one of: best_first',
      }),
    );
  });
});
