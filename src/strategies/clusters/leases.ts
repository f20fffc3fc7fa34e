import { byCodePoint } from '../../domain/code-point.ts';

/** Items by cluster, and which cluster goes to whom. */

/** The items of a cluster, in the order in which they were given. */
export interface Cluster {
  readonly cluster: string;
  readonly keys: readonly string[];
}

/** Sorts items into clusters, which are ordered by name (Unicode code point). */
export function clustersOf(keys: readonly string[], clusterOf: (key: string) => string): Cluster[] {
  const names = [...new Set(keys.map(clusterOf))].toSorted(byCodePoint);
  return names.map((cluster) => ({ cluster, keys: keys.filter((key) => clusterOf(key) === cluster) }));
}

/**
 * Which cluster each of `count` workers leases, as positions in the ranking whose clusters have so many items: worker i
 * the one in place i, and around again, or the next one that has an item left; `null` when none has.
 */
export function leases(sizes: readonly number[], count: number): (number | null)[] {
  const left = [...sizes];
  return Array.from({ length: count }, (_, worker) => {
    const places = sizes.map((_size, step) => (worker + step) % sizes.length);
    const place = places.find((at) => (left[at] ?? 0) > 0);
    if (place === undefined) return null;
    left[place] = (left[place] ?? 0) - 1;
    return place;
  });
}

/**
 * The items of each of `count` workers: those of the cluster that it leases, of which the workers that share it take
 * turns, so that nobody gets what another has. A worker gets none only when there are fewer items than workers.
 */
export function sharedOut(ranked: readonly Cluster[], count: number): string[][] {
  const places = leases(
    ranked.map(({ keys }) => keys.length),
    count,
  );
  return places.map((place, worker) => {
    if (place === null) return [];
    const sharing = places.filter((other) => other === place).length;
    const offset = places.slice(0, worker).filter((other) => other === place).length;
    return (ranked[place]?.keys ?? []).filter((_, index) => index % sharing === offset);
  });
}
