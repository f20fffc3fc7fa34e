import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { orNull, readJson } from '../../adapters/atomic-file.ts';
import { runPaths, type Home } from '../../adapters/layout.ts';
import { PlatformFailure } from '../../domain/failure.ts';
import { JournalEvent } from '../../domain/journal.ts';

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
  const paths = runPaths(home, runId);
  let seq = 0;
  let resets = 0;
  return {
    async next() {
      const before = resets;
      while (await exists(join(paths.journal, `superseded-${resets + 1}`))) resets++;
      const restarted = resets > before && seq > 0;
      if (restarted) seq = 0;
      const events: JournalEvent[] = [];
      for (let event = await eventAt(paths.event(seq)); event !== null; event = await eventAt(paths.event(seq))) {
        events.push(event);
        seq++;
      }
      return { events, restarted };
    },
  };
}

/** The event in a file; `null` when it is not there, or was set aside this moment. */
async function eventAt(path: string): Promise<JournalEvent | null> {
  try {
    return await readJson(path, JournalEvent);
  } catch (error) {
    if (error instanceof PlatformFailure && error.type === 'ArtifactMissing') return null;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await orNull(stat(path))) !== null;
}
