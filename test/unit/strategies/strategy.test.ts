import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../../src/strategies/strategy.ts';
import { outcomeOf, planInputOf } from '../../support/strategy-input.ts';

const State = z.strictObject({ seen: z.number().int() });
const entry = defineStrategy(
  {
    name: 'skip',
    about: 'for this test',
    options: z.strictObject({ by: z.number().int().default(2) }),
    lookahead: (free) => free * 3,
    initial: ({ by }) => ({ seen: by }),
    plan: ({ by }, state, { free, keys }) => ({
      state: { seen: state.seen + keys.length },
      units: free.map((worker) => ({ worker, keys: keys.slice(by), stage: 0, section: null })),
    }),
    observe: ({ by }, state) => ({ seen: state.seen * by }),
  },
  State,
);
const input = planInputOf({ nWorkers: 1, keys: ['a', 'b', 'c'] });
const unit = { worker: 0, keys: ['a'], stage: 0, section: null };

describe('a strategy with its options applied', () => {
  test('plans and observes with them', () => {
    const bound = entry.bind({ by: 1 });
    expect([bound.name, bound.lookahead(2), bound.initial()]).toEqual(['skip', 6, { seen: 1 }]);
    expect(bound.plan({ seen: 1 }, input)).toEqual({ state: { seen: 4 }, units: [{ ...unit, keys: ['b', 'c'] }] });
    expect(entry.bind({ by: 3 }).observe({ seen: 5 }, unit, 'a', outcomeOf({ gain: 1 }))).toEqual({ seen: 15 });
  });

  test('has defaults for those that were left out', () => {
    expect(entry.bind({}).initial()).toEqual({ seen: 2 });
  });

  test('refuses options that do not fit', () => {
    expect(() => entry.bind({ by: 'two' })).toThrow(z.ZodError);
    expect(() => entry.bind({ of: 2 })).toThrow(z.ZodError);
  });

  test.each([null, {}, { seen: 'x' }, { seen: 1, more: 1 }])('refuses a carried state that is not its own: %j', (state) => {
    const bound = entry.bind({});
    expect(() => bound.plan(state, input)).toThrow(z.ZodError);
    expect(() => bound.observe(state, unit, 'a', outcomeOf({ status: 'buggy' }))).toThrow(z.ZodError);
  });
});
