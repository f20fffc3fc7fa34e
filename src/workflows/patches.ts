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
  /** Since 0.2.0 a stage watches its devices, takes work away from one that is lost, and counts the tries of an evaluation itself. */
  watchDevices: 'watch-devices',
  /** Since 0.2.0 a cancellation does not interrupt the writing of a journal event. */
  wholeEvents: 'whole-events',
  /** Since 0.2.0 a stage that is skipped before its base was evaluated does not end the run: the node goes on to the next. */
  carryPastSkipped: 'carry-past-skipped',
  /** Since 0.2.0 what a person did while no stage ran is entered in the journal before the report. */
  noteRunMessages: 'note-run-messages',
  /** Since 0.2.0 a stage of which one node after the other fails for reasons of the platform ends, rather than use up its nodes. */
  stopWasting: 'stop-wasting',
  /** Since 0.3.0 a stage without a good node finds out which stage before it is to blame. */
  blameStage: 'blame-stage',
} as const;

/** A change of behaviour. */
export type Patch = keyof typeof PATCHES;

/** Whether this execution goes the new way: one that began before the change goes the old way to its end. */
export function isPatched(patch: Patch): boolean {
  return patched(PATCHES[patch]);
}
