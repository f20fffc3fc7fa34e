import type { Home } from '../../adapters/layout.ts';
import { readEvent, resetsOf } from '../../adapters/run-store.ts';
import type { JournalEvent } from '../../domain/journal.ts';

/** Reads the journal of a run as it grows. */
export interface JournalTail {
  /** The events that came since the last call, in order of their number. */
  next(): Promise<{ readonly events: JournalEvent[]; readonly restarted: boolean }>;
}

/**
 * Events are numbered without gaps (journal J1) and appear whole, so the next one is there when its file is.
 * When a run was reset, events are set aside (adapters/run-store S2): then the journal is told from its start.
 */
export function tailJournal(home: Home, runId: string): JournalTail {
  let seq = 0;
  let resets = 0;
  return {
    async next() {
      const before = resets;
      resets = await resetsOf(home, runId, resets);
      const restarted = resets > before && seq > 0;
      if (restarted) seq = 0;
      const events: JournalEvent[] = [];
      for (let event = await readEvent(home, runId, seq); event !== null; event = await readEvent(home, runId, seq)) {
        events.push(event);
        seq++;
      }
      return { events, restarted };
    },
  };
}
