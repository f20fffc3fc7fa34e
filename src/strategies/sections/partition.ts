import { byCodePoint } from '../../domain/code-point.ts';
import { sectionOf } from './key-hash.ts';

/** Sections: the key space of a task in parts, so that edits of different parts never touch the same key. */

/** How keys come into sections: sizes that differ by at most one, or buckets of a hash that new keys do not shift. */
export type Partition = 'balanced' | 'hash';

/** The section of each key, sorted by key. */
export type Owners = ReadonlyMap<string, number>;

/** Divides distinct keys over `count` sections, `RangeError` when there is none for them. */
export function ownersOf(keys: readonly string[], count: number, partition: Partition = 'balanced'): Owners {
  const sorted = [...new Set(keys)].sort(byCodePoint);
  return new Map(sorted.map((key, at) => [key, partition === 'hash' ? sectionOf(key, count) : turnOf(at, count)]));
}

/** The keys of each section, in order. */
export function keysBySection(owners: Owners, count: number): string[][] {
  const sections = Array.from({ length: count }, (): string[] => []);
  for (const [key, section] of owners) sections[section]?.push(key);
  return sections;
}

/** Who comes when `count` take turns; `RangeError` when there is nobody. */
export function turnOf(at: number, count: number): number {
  if (count < 1) throw new RangeError(`there is no section of ${count}`);
  return at % count;
}

/** The section of each worker, by its place in the list; of a name that stands there twice, by the last. */
export function sectionsOfWorkers(workers: readonly string[], count: number): Owners {
  return new Map(workers.map((worker, at) => [worker, turnOf(at, count)]));
}
