import type { Home } from '../adapters/layout.ts';
import { readEvents } from '../adapters/run-store.ts';
import { JournalEndInput, type JournalEnd } from '../domain/journal-end.ts';
import { asActivity } from './attempt.ts';

/** Makes the activity `journalEnd`: where the journal of a run ends, for a run that lost a stage. */
export function makeJournalEnd({ home }: { home: Home }): (input: JournalEndInput) => Promise<JournalEnd> {
  return asActivity(JournalEndInput, async ({ runId, from }) => {
    const events = (await readEvents(home, runId)).filter(({ seq }) => seq >= from);
    const nodes = events.flatMap((event) => (event.kind === 'node' ? [event.node] : []));
    const good = nodes.filter(({ status }) => status === 'good').length;
    return {
      nextSeq: (events.at(-1)?.seq ?? from - 1) + 1,
      good,
      buggy: nodes.length - good,
      dropped: events.filter(({ kind }) => kind === 'dropped').length,
    };
  });
}
