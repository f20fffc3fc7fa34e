/**
 * A map that is never changed: `withEntry` gives a new one. Most entries lie in `settled`, which many versions
 * share, and the latest ones in `recent`, which is copied; so one more entry costs about the root of the size.
 */
export interface GrowingMap<V> {
  readonly settled: ReadonlyMap<string, V>;
  readonly recent: ReadonlyMap<string, V>;
}

/** Fewest entries that are copied each time before they settle. */
const FEWEST_RECENT = 16;

/** A map of these entries. */
export function growingMap<V>(entries: Iterable<readonly [string, V]> = []): GrowingMap<V> {
  return { settled: new Map(entries), recent: new Map() };
}

/** The value at a key, `undefined` when there is none. */
export function entryOf<V>({ settled, recent }: GrowingMap<V>, key: string): V | undefined {
  return recent.get(key) ?? settled.get(key);
}

/** The map with this value at this key. */
export function withEntry<V>({ settled, recent }: GrowingMap<V>, key: string, value: V): GrowingMap<V> {
  const latest = new Map(recent).set(key, value);
  if (latest.size < Math.max(FEWEST_RECENT, Math.sqrt(settled.size))) return { settled, recent: latest };
  return { settled: new Map([...settled, ...latest]), recent: new Map() };
}

/** All entries, each key once, in the order in which the keys came. */
export function entriesOf<V>({ settled, recent }: GrowingMap<V>): [string, V][] {
  return [...new Map([...settled, ...recent])];
}
