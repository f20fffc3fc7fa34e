import { patched } from '@temporalio/workflow';

/**
 * Every change of behaviour that a run begun with an earlier release must not see. A workflow is replayed from
 * its history by today's code: where that would give other commands than the history holds, the new way is
 * taken only where `isPatched` says so (docs/determinism.md).
 *
 * The values are names on the wire: never renamed, never used twice. An entry is removed when no run of a
 * release before it can be alive any more, together with the old way.
 */
const PATCHES = {
  /** Since 0.2.0 a stage watches its devices and takes work away from one that is lost. */
  watchDevices: 'watch-devices',
} as const;

/** A change of behaviour. */
export type Patch = keyof typeof PATCHES;

/** Whether this execution goes the new way: one that began before the change goes the old way to its end. */
export function isPatched(patch: Patch): boolean {
  return patched(PATCHES[patch]);
}
