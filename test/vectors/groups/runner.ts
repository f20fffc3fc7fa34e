import { bindStrategy } from '../../../src/strategies/registry.ts';
import type { WorkUnit } from '../../../src/strategies/strategy.ts';
import { planInputOf } from '../../support/strategy-input.ts';

/** How the cases of a group are run here: from the input to what should be the output. */
export type Runner = (input: unknown) => unknown;

/** A call of a plan in the vectors. */
export interface PlanCall {
  readonly n_workers: number;
  readonly round: number;
  readonly keys: readonly string[];
}

/** Plans once, from the strategy's first state, with all workers free and in the same round. */
export function planned(name: string, options: object, { n_workers: nWorkers, round, keys }: PlanCall): WorkUnit[] {
  const strategy = bindStrategy(name, options);
  const input = planInputOf({ nWorkers, keys });
  return strategy.plan(strategy.initial(), { ...input, roundOf: input.free.map(() => round) }).units;
}
