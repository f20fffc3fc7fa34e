import type { BoundStrategy, PlanInput, WorkUnit } from '../../src/strategies/strategy.ts';

/** The contract of a strategy (S1 to S3) as a check: what a plan does wrong, in words. */
export function planProblems(input: PlanInput, units: readonly WorkUnit[]): string[] {
  const workers = units.map(({ worker }) => worker);
  const keys = units.flatMap((unit) => unit.keys);
  const isOpen = (key: string): boolean => input.keys.includes(key) && !input.inFlight.includes(key);
  const hasWork = input.free.length > 0 && input.inFlight.length === 0 && input.keys.length > 0;
  return [
    ...workers.filter((worker) => !input.free.includes(worker)).map((worker) => `worker ${worker} is not free`),
    ...(new Set(workers).size < workers.length ? ['a worker has two units'] : []),
    ...(new Set(keys).size < keys.length ? ['a key was handed out twice'] : []),
    ...keys.filter((key) => !input.keys.includes(key)).map((key) => `${key} was not offered`),
    ...keys.filter((key) => input.inFlight.includes(key)).map((key) => `${key} is in flight`),
    ...(hasWork && !keys.some(isOpen) ? ['nothing is handed out though all are idle and there is work'] : []),
  ];
}

/** What a strategy does wrong when it plans from `state`: its plan, and whether planning again gives the same (S1). */
export function planTwiceProblems(strategy: BoundStrategy, state: unknown, input: PlanInput): string[] {
  const first = strategy.plan(frozen(state), frozen(input));
  const again = strategy.plan(throughJson(state), structuredClone(input));
  const isSame = JSON.stringify(again) === JSON.stringify(first);
  const isJson = JSON.stringify(throughJson(first.state)) === JSON.stringify(first.state) && isPlain(first.state);
  return [
    ...planProblems(input, first.units),
    ...(isSame ? [] : ['the same input gave another plan']),
    ...(isJson ? [] : ['the state is not plain JSON']),
  ];
}

/** A copy that throws when it is changed. */
export function frozen<T>(value: T): T {
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
}

/** What is left of a value after it was written and read. */
export function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/** Whether writing and reading keeps everything: no dates, maps, sets, `undefined`, NaN or infinity. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every(isPlain);
}
