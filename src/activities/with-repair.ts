import { ApplicationFailure, log } from '@temporalio/activity';
import type { Home } from '../adapters/layout.ts';
import { repairJournal } from '../adapters/repair-journal.ts';
import type { RunId } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';

/** What a damaged journal is repaired with. */
export interface RepairDeps {
  readonly home: Home;
  /** The events of a run by number, as the server's history holds them. */
  readonly recordedEvents: (runId: RunId) => Promise<ReadonlyMap<number, JournalEvent>>;
}

const DAMAGE: readonly unknown[] = ['ArtifactMissing', 'ArtifactCorrupt'];

/**
 * An activity that reads the journal. Where it fails because something is missing or damaged, the journal is
 * repaired from the history, which holds every event too, and `afterwards` is run, as a rule the same again: what
 * cannot be repaired fails it, and a person has to act.
 */
export function withRepair<I extends { runId: RunId }, O>(
  { home, recordedEvents }: RepairDeps,
  activity: (input: I) => Promise<O>,
  afterwards = activity,
): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || !DAMAGE.includes(error.type)) throw error;
      const events = await repairJournal(home, input.runId, await recordedEvents(input.runId));
      if (events.length > 0) log.warn('damaged journal events were restored from the history', { runId: input.runId, events });
      return afterwards(input);
    }
  };
}
