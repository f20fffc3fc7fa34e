/**
 * Runs a function without clock, chance and machine: whatever it asks of them throws. What a strategy decides by them
 * would be another thing when a run is replayed.
 */

/** Globals that a strategy must not use; the workflow code has none of them, or others than this process. */
const MACHINE: readonly string[] = [
  'performance',
  'crypto',
  'process',
  'fetch',
  'Buffer',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
];

/** What `work` gives, which must be done when it returns. */
export function withoutChance<T>(work: () => T): T {
  const changed = [
    ...MACHINE.map((name) => replaced(globalThis, name, { get: () => refuse(name) })),
    replaced(globalThis, 'Date', { value: timelessDate() }),
    replaced(Math, 'random', { value: () => refuse('Math.random') }),
  ];
  try {
    return work();
  } finally {
    for (const restore of changed) restore();
  }
}

/** `Date` for dates that were given; none that is asked for now. */
function timelessDate(): unknown {
  return new Proxy(Date, {
    construct: (target, args) => (args.length === 0 ? refuse('new Date()') : (Reflect.construct(target, args) as object)),
    apply: () => refuse('Date()'),
    get: (target, member) => (member === 'now' ? () => refuse('Date.now') : (Reflect.get(target, member) as unknown)),
  });
}

/** Replaces a member until the function that it gives is called. */
function replaced(holder: object, name: string, by: PropertyDescriptor): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, { configurable: true, ...by });
  return () => {
    if (before === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, before);
  };
}

function refuse(what: string): never {
  throw new Error(`a strategy has no ${what}`);
}
