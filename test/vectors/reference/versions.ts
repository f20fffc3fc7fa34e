/** Lag by version vectors. */

/** The version of each thing that changes on its own; a thing that is not listed has version 0. */
export type VersionVector = Readonly<Record<string, number>>;

/** The tolerance where an edit touches more than {@link WIDE_REACH} of what there is, and where it touches less. */
const TOLERANCE = { wide: 5, narrow: 1 } as const;

/** Share of what there is above which an edit reaches far. */
const WIDE_REACH = 0.3;

/** How much lag is tolerated of an edit; `reach` is the share, 0 to 1, of what there is that it can affect. */
export function toleranceOf(reach: number, isBreaking: boolean): number {
  if (isBreaking) return 0;
  return reach > WIDE_REACH ? TOLERANCE.wide : TOLERANCE.narrow;
}

/** How far the newest state is ahead of what an edit was made from: the largest lag of the base's entries, 0 for none. */
export function lagOf(head: VersionVector, base: VersionVector): number {
  const lags = Object.entries(base).map(([key, version]) => versionIn(head, key) - version);
  return lags.length === 0 ? 0 : Math.max(...lags);
}

/** Whether the newest state is nowhere behind what an edit was made from. */
export function isAtLeast(head: VersionVector, base: VersionVector): boolean {
  return Object.entries(base).every(([key, version]) => versionIn(head, key) >= version);
}

function versionIn(vector: VersionVector, key: string): number {
  return Object.hasOwn(vector, key) ? (vector[key] ?? 0) : 0;
}
