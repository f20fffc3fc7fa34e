import { z } from 'zod';
import { defineStrategy } from './strategy.ts';

const Options = z.strictObject({});
const State = z.strictObject({ v: z.literal(1) });

/** The default: the best items of the backlog to the free workers, one each, in order. Keeps no state. */
export const inOrder = defineStrategy(
  {
    name: 'in_order',
    about: 'the best items of the backlog to the free workers, distinct work per worker',
    options: Options,
    lookahead: (free) => free,
    initial: () => ({ v: 1 as const }),
    plan: (_options, state, { free, keys, inFlight }) => {
      const open = keys.filter((key) => !inFlight.includes(key));
      const units = free.flatMap((worker, index) => {
        const key = open[index];
        return key === undefined ? [] : [{ worker, keys: [key], stage: 0, section: null }];
      });
      return { state, units };
    },
    observe: (_options, state) => state,
  },
  State,
);
