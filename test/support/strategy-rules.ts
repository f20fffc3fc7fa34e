import { freeze, frozen, planProblems, stateProblem, throughJson } from '../../src/strategies/own/plan-rules.ts';
import type { BoundStrategy, PlanInput } from '../../src/strategies/strategy.ts';

/** What a strategy does wrong when it plans from `state`: its plan, and whether planning again gives the same (S1). */
export function planTwiceProblems(strategy: BoundStrategy, state: unknown, input: PlanInput): string[] {
  const first = strategy.plan(frozen(state), frozen(input));
  const again = strategy.plan(throughJson(state), structuredClone(input));
  const isSame = JSON.stringify(again) === JSON.stringify(first);
  const isJson = JSON.stringify(throughJson(first.state)) === JSON.stringify(first.state) && stateProblem(first.state) === null;
  return [
    ...planProblems(input, first.units),
    ...(isSame ? [] : ['the same input gave another plan']),
    ...(isJson ? [] : ['the state is not plain JSON']),
  ];
}

/** A copy of any data, maps and sets too, whose objects and lists throw when they are changed. */
export function frozenClone<T>(value: T): T {
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
}
