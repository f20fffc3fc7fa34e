import { describe, expect, it } from 'vitest';
import { writeEvent } from '../../../../src/adapters/run-store.ts';
import { tailJournal } from '../../../../src/cli/follow/tail-journal.ts';
import { buggy, good, landed, RUN, started } from '../../../support/cli-fixtures.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('tailJournal', () => {
  it('gives each event once, in order, as they land', async () => {
    const home = { root: temporaryFolder() };
    const tail = tailJournal(home, RUN);
    expect(await tail.next()).toEqual({ events: [], restarted: false });
    await writeEvent(home, RUN, started(0));
    await writeEvent(home, RUN, landed(1, good(1, 0.9)));
    expect((await tail.next()).events.map(({ seq }) => seq)).toEqual([0, 1]);
    expect((await tail.next()).events).toEqual([]);
    await writeEvent(home, RUN, landed(2, good(2, 0.9)));
    expect((await tail.next()).events.map(({ seq }) => seq)).toEqual([2]);
  });

  it('waits for an event that is not there yet, whatever came after it', async () => {
    const home = { root: temporaryFolder() };
    const tail = tailJournal(home, RUN);
    await writeEvent(home, RUN, landed(1, good(1, 0.9)));
    expect((await tail.next()).events).toEqual([]);
    await writeEvent(home, RUN, started(0));
    expect((await tail.next()).events.map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it('tells the journal from its start again when the run was reset', async () => {
    const home = { root: temporaryFolder() };
    const tail = tailJournal(home, RUN);
    await writeEvent(home, RUN, started(0));
    await writeEvent(home, RUN, landed(1, good(1, 0.9)));
    await tail.next();
    await writeEvent(home, RUN, landed(1, buggy(1)));
    const { events, restarted } = await tail.next();
    expect(restarted).toBe(true);
    expect(events.map((event) => (event.kind === 'node' ? event.node.status : event.kind))).toEqual(['stage_started', 'buggy']);
  });

  it('does not call resets of before it began a restart', async () => {
    const home = { root: temporaryFolder() };
    await writeEvent(home, RUN, landed(0, good(1, 0.9)));
    await writeEvent(home, RUN, landed(0, buggy(1)));
    expect((await tailJournal(home, RUN).next()).restarted).toBe(false);
  });
});
