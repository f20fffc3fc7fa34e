import type { PlanInput, WorkUnit } from '../strategy.ts';

/** The contract of a strategy (S1 to S3) as checks, in words for people. */

/** Characters of JSON that a state may have. */
export const MAX_STATE = 64 * 1024;

/** What is wrong with the units of a plan (S2); nothing when they keep the contract. */
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

/** What is wrong with a state (S3); `null` when it can be carried. */
export function stateProblem(state: unknown): string | null {
  if (!isPlain(state)) return 'the state is not plain JSON';
  const size = JSON.stringify(state).length;
  return size > MAX_STATE ? `the state has ${size} characters, ${MAX_STATE} at most` : null;
}

/** A copy by JSON that throws when it is changed. */
export function frozen<T>(value: T): T {
  const copy = throughJson(value) as T;
  freeze(copy);
  return copy;
}

/** What is left of a value after it was written and read. */
export function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Makes a value and all its parts throw when they are changed. */
export function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

/** Whether writing and reading keeps everything: no dates, maps, sets, `undefined`, NaN, infinity, or loops. */
function isPlain(value: unknown, above: readonly unknown[] = []): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || above.includes(value)) return false;
  const inside = [...above, value];
  if (Array.isArray(value)) return Array.from(value).every((part) => isPlain(part, inside));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Reflect.ownKeys(value).every((key) => typeof key === 'string' && isPlain(Reflect.get(value, key), inside));
}
