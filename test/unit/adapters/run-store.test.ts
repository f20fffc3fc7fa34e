import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { listRuns, loadRun, readEvents, saveRun, writeEvent } from '../../../src/adapters/run-store.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { readyRun } from '../../support/evaluations.ts';
import { containing } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const event = (seq: number, message = `event ${seq}`): JournalEvent =>
  JournalEvent.parse({ kind: 'steered', seq, stage: 'baseline_tuning', message });

const texts = (events: JournalEvent[]): string[] => events.map((one) => (one.kind === 'steered' ? one.message : one.kind));

describe('the run file', () => {
  test('comes back as it was saved', async () => {
    const { home, run } = await readyRun({ program: 'value.py' });
    expect(await loadRun(home, run.plan.runId)).toEqual(run);
    await saveRun(home, { ...run, warnings: ['changed'] });
    expect((await loadRun(home, run.plan.runId)).warnings).toEqual(['changed']);
  });

  test('is missing for a run that was never resolved, and such a run is not listed', async () => {
    const { home } = await readyRun({ program: 'value.py' });
    mkdirSync(join(home.root, 'runs', 'half'), { recursive: true });
    writeFileSync(join(home.root, 'runs', 'a-file'), '');
    await expect(loadRun(home, 'half')).rejects.toMatchObject({ type: 'ArtifactMissing' });
    await readyRun({ program: 'value.py', home, runId: 'another' });
    expect(await listRuns(home)).toEqual(['another', 'test-run']);
  });

  test('no runs are listed where there is no folder', async () => {
    expect(await listRuns({ root: temporaryFolder() })).toEqual([]);
  });
});

describe('the journal', () => {
  const fresh = () => ({ root: temporaryFolder() });

  test('is read in the order of the numbers, however it was written', async () => {
    const home = fresh();
    for (const seq of [10, 2, 0, 9, 1, 3, 5, 4, 8, 7, 6]) await writeEvent(home, 'r', event(seq));
    const all = Array.from({ length: 11 }, (_, seq) => `event ${seq}`);
    expect(texts(await readEvents(home, 'r'))).toEqual(all);
    expect(texts(await readEvents(home, 'r', { before: 9 }))).toEqual(all.slice(0, 9));
  });

  test('is empty before there is one', async () => {
    expect(await readEvents(fresh(), 'r')).toEqual([]);
  });

  test('an event that is written again is not touched', async () => {
    const home = fresh();
    await writeEvent(home, 'r', event(0));
    await writeEvent(home, 'r', event(1));
    const { ino } = statSync(runPaths(home, 'r').event(0));
    await writeEvent(home, 'r', event(0));
    expect(statSync(runPaths(home, 'r').event(0)).ino).toBe(ino);
    expect(await readEvents(home, 'r')).toHaveLength(2);
  });

  test('another event under a taken number begins the history anew from there, and the old one is kept', async () => {
    const home = fresh();
    for (const seq of [0, 1, 2, 3]) await writeEvent(home, 'r', event(seq));
    await writeEvent(home, 'r', event(2, 'after the reset'));
    expect(texts(await readEvents(home, 'r'))).toEqual(['event 0', 'event 1', 'after the reset']);
    await writeEvent(home, 'r', event(1, 'after a second reset'));
    expect(texts(await readEvents(home, 'r'))).toEqual(['event 0', 'after a second reset']);
    const { journal } = runPaths(home, 'r');
    expect(readdirSync(join(journal, 'superseded-1')).sort()).toEqual(['0000002.json', '0000003.json']);
    expect(readFileSync(join(journal, 'superseded-2', '0000002.json'), 'utf8')).toContain('after the reset');
  });

  test('a damaged event is corrupt, with its path', async () => {
    const home = fresh();
    await writeEvent(home, 'r', event(0));
    writeFileSync(runPaths(home, 'r').event(0), '{"kind": "steered"}');
    await expect(readEvents(home, 'r')).rejects.toMatchObject({
      type: 'ArtifactCorrupt',
      message: containing('0000000.json'),
    });
  });

  test('what else lies in its folder is ignored', async () => {
    const home = fresh();
    await writeEvent(home, 'r', event(0));
    writeFileSync(join(runPaths(home, 'r').journal, '.0000001.json.abc.tmp'), '{');
    writeFileSync(join(runPaths(home, 'r').journal, 'notes.txt'), 'mine');
    expect(await readEvents(home, 'r')).toHaveLength(1);
  });
});
