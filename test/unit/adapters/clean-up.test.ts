import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyTrash, lookAtCache, lookAtRuns, pathOf, remove, removedRunIds } from '../../../src/adapters/clean-up.ts';
import { homePaths, runPaths, type Home } from '../../../src/adapters/layout.ts';
import { appendLedger } from '../../../src/adapters/ledger.ts';
import { listRuns, saveRun } from '../../../src/adapters/run-store.ts';
import { DeviceName, EvaluationId, rerunId, RunId } from '../../../src/domain/ids.ts';
import type { Removal, RunOnDisk } from '../../../src/domain/retention.ts';
import { evaluation } from '../../support/cli-fixtures.ts';
import { jobOf, readyRun } from '../../support/evaluations.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ID = EvaluationId.parse('0'.repeat(32));
const write = (path: string, text = 'x'.repeat(5000)): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** A home with the run `one`: an evaluation of two attempts, the second of which gave the result. */
async function homeWithRun(): Promise<Home> {
  const { home, run } = await readyRun({ program: 'value.py', runId: 'one' });
  const paths = runPaths(home, 'one');
  await saveRun(home, run);
  write(join(paths.attempt(ID, '1.1'), 'output.log'));
  write(join(paths.attempt(ID, '1.2'), 'output.log'));
  write(join(paths.checkpoint(ID), 'epoch-3'));
  write(paths.result(ID), JSON.stringify({ ...evaluation(0.5).result, attempt: '1.2' }));
  write(paths.event(0), '{}');
  return home;
}

async function only(home: Home, open: boolean | null = null): Promise<RunOnDisk> {
  const [run] = await lookAtRuns(home, new Map([['one', open]]));
  if (run === undefined) throw new Error('there is no run');
  return run;
}

describe('lookAtRuns', () => {
  test('tells which attempt gave the result, and the size of everything', async () => {
    const run = await only(await homeWithRun(), false);
    expect(run).toMatchObject({ runId: 'one', open: false, reported: false, unfinished: [], usesCache: false });
    expect(run.evaluations).toMatchObject([{ id: ID, resultOf: '1.2', attempts: [{ name: '1.1' }, { name: '1.2' }] }]);
    const [{ attempts, checkpoint }] = run.evaluations as [RunOnDisk['evaluations'][number]];
    expect(attempts[0]?.bytes).toBeGreaterThanOrEqual(5000);
    expect(checkpoint).toBeGreaterThanOrEqual(5000);
    expect(run.bytes).toBeGreaterThan((attempts[0]?.bytes ?? 0) + (checkpoint ?? 0));
  });

  test('a report counts until something is journalled after it, as after a reset', async () => {
    const home = await homeWithRun();
    const { reportData, journal } = runPaths(home, 'one');
    expect((await only(home)).reported).toBe(false);
    write(reportData, '{}');
    expect((await only(home)).reported).toBe(true);
    const later = new Date(Date.now() + 60_000);
    utimesSync(journal, later, later);
    expect((await only(home)).reported).toBe(false);
  });

  test('an attempt that the ledger does not call dead is unfinished, of a run and of its reruns', async () => {
    const home = await homeWithRun();
    const one = RunId.parse('one');
    const line = { v: 1, device: DeviceName.parse('cpu0'), evaluation: ID, attempt: '1.1', at: 1 } as const;
    await appendLedger(home, { ...line, event: 'started', run: RunId.parse('one.other') });
    expect((await only(home)).unfinished).toEqual([]);
    await appendLedger(home, { ...line, event: 'started', run: one });
    await appendLedger(home, { ...line, event: 'started', run: rerunId(one, 3) });
    expect((await only(home)).unfinished).toEqual(['one', 'one.rerun-3']);
    await appendLedger(home, { ...line, event: 'dead', run: one, outcome: 'finished' });
    expect((await only(home)).unfinished).toEqual(['one.rerun-3']);
  });

  test('a run whose files cannot be read keeps everything that is not known to be superseded', async () => {
    const home = await homeWithRun();
    writeFileSync(runPaths(home, 'one').result(ID), '{ not json');
    expect((await only(home)).evaluations).toMatchObject([{ resultOf: null }]);
  });
});

const removals: Removal[] = [
  { part: 'attempts', run: 'one', evaluation: ID, attempt: '1.1', bytes: 0 },
  { part: 'checkpoints', run: 'one', evaluation: ID, bytes: 0 },
  { part: 'reruns', run: 'one', rerun: '1', bytes: 0 },
  { part: 'cache', file: `${ID}.json`, bytes: 0 },
  { part: 'runs', run: 'one', bytes: 0 },
];

describe('remove', () => {
  test.each(removals.map((removal) => [removal.part, removal] as const))(
    '%s: the one thing goes and its neighbours stay',
    async (_, removal) => {
      const home = await homeWithRun();
      const path = pathOf(home, removal);
      const neighbour = join(dirname(path), 'neighbour', 'file');
      write(neighbour);
      if (!existsSync(path)) write(removal.part === 'cache' ? path : join(path, 'file'));
      expect(await remove(home, removal)).toBe('removed');
      expect(existsSync(path)).toBe(false);
      expect(existsSync(neighbour)).toBe(true);
      expect(readdirSync(dirname(path)).filter((name) => name.startsWith('.trash-'))).toEqual([]);
      expect(await remove(home, removal)).toBe('gone');
    },
  );

  test('a link is removed as a link, and a folder behind a link is left alone', async () => {
    const home = await homeWithRun();
    const outside = temporaryFolder();
    write(join(outside, 'attempts', '1.1', 'precious'));
    const { evaluations } = runPaths(home, 'one');
    symlinkSync(outside, join(evaluations, 'linked'));
    expect(await remove(home, { part: 'attempts', run: 'one', evaluation: 'linked', attempt: '1.1', bytes: 0 })).toBe(
      'through_a_link',
    );
    const attempt = join(evaluations, ID, 'attempts', '1.1');
    symlinkSync(outside, join(attempt, 'out-link'));
    expect(await remove(home, { part: 'attempts', run: 'one', evaluation: ID, attempt: '1.1', bytes: 0 })).toBe('removed');
    expect(existsSync(join(outside, 'attempts', '1.1', 'precious'))).toBe(true);
  });

  test('runs/ itself may be a link, to a larger disk', async () => {
    const home = await homeWithRun();
    const large = join(temporaryFolder(), 'runs');
    const { runs } = homePaths(home);
    mkdirSync(dirname(large), { recursive: true });
    cpSync(runs, large, { recursive: true });
    rmSync(runs, { recursive: true });
    symlinkSync(large, runs);
    expect(await remove(home, { part: 'runs', run: 'one', bytes: 0 })).toBe('removed');
    expect(readdirSync(large)).toEqual([]);
  });

  test('names from the disk never lead out of their folder', async () => {
    const home = await homeWithRun();
    write(join(home.root, 'precious'));
    expect(
      await remove(home, { part: 'attempts', run: 'one', evaluation: ID, attempt: '../../../../../precious', bytes: 0 }),
    ).toBe('gone');
    expect(existsSync(join(home.root, 'precious'))).toBe(true);
  });

  test('a folder that a program locked goes too', async () => {
    const home = await homeWithRun();
    const locked = join(runPaths(home, 'one').attempt(ID, '1.1'), 'work', 'locked');
    write(join(locked, 'file'));
    chmodSync(locked, 0o000);
    expect(await remove(home, { part: 'attempts', run: 'one', evaluation: ID, attempt: '1.1', bytes: 0 })).toBe('removed');
  });

  test('the id of a removed run is remembered, once', async () => {
    const home = await homeWithRun();
    await remove(home, { part: 'runs', run: 'one', bytes: 0 });
    await remove(home, { part: 'runs', run: 'one', bytes: 0 });
    expect(await removedRunIds(home)).toEqual(['one']);
    expect(await listRuns(home)).toEqual([]);
  });
});

test('what an interrupted clean left is no run, and goes with the next one', async () => {
  const home = await homeWithRun();
  const places = [homePaths(home).runs, homePaths(home).sharedResults, runPaths(home, 'one').evaluations].map((folder) =>
    join(folder, '.trash-1'),
  );
  const attempt = join(runPaths(home, 'one').evaluations, ID, 'attempts', '.trash-2');
  for (const place of [...places.slice(0, 2), attempt]) write(join(place, 'run.json'), '{}');
  expect(await listRuns(home)).toEqual(['one']);
  expect((await only(home)).evaluations[0]?.attempts.map(({ name }) => name)).toEqual(['1.1', '1.2']);
  expect(await lookAtCache(home)).toEqual([]);
  expect(await emptyTrash(home)).toBe(3);
  expect(existsSync(attempt)).toBe(false);
  expect(existsSync(runPaths(home, 'one').attempt(ID, '1.2'))).toBe(true);
});

test('a path is that of the run’s layout', async () => {
  const job = await jobOf(await readyRun({ program: 'value.py' }));
  const paths = runPaths(job.home, job.input.runId);
  const of = { run: job.input.runId, evaluation: job.evaluation, bytes: 0 };
  expect(pathOf(job.home, { part: 'attempts', attempt: '1.1', ...of })).toBe(paths.attempt(job.evaluation, '1.1'));
  expect(pathOf(job.home, { part: 'checkpoints', ...of })).toBe(paths.checkpoint(job.evaluation));
});
