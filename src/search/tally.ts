import { entriesOf, entryOf, growingMap, withEntry, type GrowingMap } from './growing-map.ts';
import { kindOfWork } from './work.ts';

/** Counts of work (see `workKey`), and of each kind of work whatever node it starts from. Never changed. */
export interface Tally {
  readonly works: GrowingMap<number>;
  readonly kinds: GrowingMap<number>;
}

/** Nothing counted. */
export function emptyTally(): Tally {
  return { works: growingMap(), kinds: growingMap() };
}

/** A tally of works and how often each was counted. */
export function tallyOf(counts: Iterable<readonly [string, number]>): Tally {
  const works = new Map(counts);
  const kinds = new Map<string, number>();
  for (const [work, times] of works) kinds.set(kindOfWork(work), (kinds.get(kindOfWork(work)) ?? 0) + times);
  return { works: growingMap(works), kinds: growingMap(kinds) };
}

/** How often a work was counted. */
export function timesOf(tally: Tally, work: string): number {
  return entryOf(tally.works, work) ?? 0;
}

/** How often work of a kind (see `kindOfWork`) was counted. */
export function timesOfKind(tally: Tally, kind: string): number {
  return entryOf(tally.kinds, kind) ?? 0;
}

/** The tally with a work counted once more. */
export function withOneMore(tally: Tally, work: string): Tally {
  const kind = kindOfWork(work);
  return {
    works: withEntry(tally.works, work, timesOf(tally, work) + 1),
    kinds: withEntry(tally.kinds, kind, timesOfKind(tally, kind) + 1),
  };
}

/** Works and how often each was counted, in the order in which they came. */
export function tallied(tally: Tally): [string, number][] {
  return entriesOf(tally.works);
}
