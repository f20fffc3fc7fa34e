import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { repairJournal } from '../../../src/adapters/repair-journal.ts';
import { readableEvents, readEvents, writeEvent } from '../../../src/adapters/run-store.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RUN = 'test-run';
const event = (seq: number): JournalEvent =>
  JournalEvent.parse({ kind: 'steered', seq, stage: 'initial_implementation', message: `event ${seq}` });

/** A journal of five events, the second missing and the fourth unreadable. */
async function damagedJournal() {
  const home = { root: temporaryFolder() };
  for (let seq = 0; seq < 5; seq++) await writeEvent(home, RUN, event(seq));
  rmSync(runPaths(home, RUN).event(1));
  writeFileSync(runPaths(home, RUN).event(3), '{"kind": "ste');
  return { home, paths: runPaths(home, RUN) };
}

test('a damaged journal is refused whole, and what can be read of it is told apart from what cannot', async () => {
  const { home, paths } = await damagedJournal();
  await expect(readEvents(home, RUN)).rejects.toMatchObject({
    type: 'ArtifactMissing',
    message: `${paths.event(1)} is not there.`,
  });
  const { events, damaged } = await readableEvents(home, RUN);
  expect(events.map(({ seq }) => seq)).toEqual([0, 2, 4]);
  expect(damaged.map(({ type }) => type)).toEqual(['ArtifactMissing', 'ArtifactCorrupt']);
});

test('it is repaired with what is known, and only where it is damaged; what was unreadable is kept beside', async () => {
  const { home, paths } = await damagedJournal();
  const other = JournalEvent.parse({ ...event(2), message: 'another' });
  expect(
    await repairJournal(
      home,
      RUN,
      new Map([
        [1, event(1)],
        [2, other],
      ]),
    ),
  ).toEqual([1]);
  expect(
    await repairJournal(
      home,
      RUN,
      new Map([
        [3, event(3)],
        [7, event(7)],
      ]),
    ),
  ).toEqual([3]);
  expect(await readEvents(home, RUN)).toEqual([0, 1, 2, 3, 4].map(event));
  expect(readFileSync(`${paths.event(3)}.damaged`, 'utf8')).toBe('{"kind": "ste');
  expect(existsSync(`${paths.event(1)}.damaged`)).toBe(false);
});
