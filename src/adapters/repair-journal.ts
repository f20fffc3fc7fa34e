import { rename } from 'node:fs/promises';
import { PlatformFailure } from '../domain/failure.ts';
import { JournalEvent } from '../domain/journal.ts';
import { orNull, writeFileAtomic } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';
import { journalNumbers, readEvent } from './run-store.ts';

/**
 * Writes the events of a journal again that are missing below its last one or cannot be read, as far as they are
 * known from elsewhere; what was unreadable stays beside as `<event>.damaged`. Returns the numbers that it wrote.
 */
export async function repairJournal(home: Home, runId: string, known: ReadonlyMap<number, JournalEvent>): Promise<number[]> {
  const last = (await journalNumbers(home, runId)).at(-1) ?? -1;
  const written: number[] = [];
  for (let seq = 0; seq <= last; seq++) {
    const event = known.get(seq);
    if (event === undefined || (await isReadable(home, runId, seq))) continue;
    const path = runPaths(home, runId).event(seq);
    await orNull(rename(path, `${path}.damaged`));
    await writeFileAtomic(path, `${JSON.stringify(JournalEvent.parse(event))}\n`);
    written.push(seq);
  }
  return written;
}

async function isReadable(home: Home, runId: string, seq: number): Promise<boolean> {
  try {
    return (await readEvent(home, runId, seq)) !== null;
  } catch (error) {
    if (error instanceof PlatformFailure && error.type === 'ArtifactCorrupt') return false;
    throw error;
  }
}
