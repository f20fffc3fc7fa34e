import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { readLedger } from '../../../src/adapters/ledger.ts';
import { sweepLeftovers } from '../../../src/adapters/leftovers.ts';
import { exitOf, shimOf } from '../../../src/adapters/process-group.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import type { AttemptJob } from '../../../src/adapters/run-attempt.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { attemptFolder, isRunning, jobOf, readyRun, says, until, type ReadyRun } from '../../support/evaluations.ts';

/** A worker that is killed in the middle, for real; then the sweep that the next one starts with. */

const WORKER = join(PACKAGE_ROOT, 'test', 'fixtures', 'evaluating-worker.ts');

/** Starts an attempt in a process of its own, kills that process when `reached` holds, and gives the attempt. */
async function killedInTheMiddle(ready: ReadyRun, reached: (folder: string) => boolean): Promise<AttemptJob> {
  const job = await jobOf(ready);
  const file = join(ready.home.root, 'job.json');
  writeFileSync(file, JSON.stringify({ root: ready.home.root, input: ready.input, device: ready.device }));
  const worker = spawn(process.execPath, [WORKER, file], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await until(() => reached(attemptFolder(job)));
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGKILL');
  await gone;
  return job;
}

async function audit({ home, device }: ReadyRun) {
  const { started, finished, open, overlaps, doubled } = auditLedger((await readLedger(home, device.name)).lines);
  return { started, finished, open: open.length, overlaps: overlaps.length, doubled: doubled.length };
}

const result = (job: AttemptJob): string => runPaths(job.home, job.input.runId).result(job.evaluation);

test('a program that outlived its worker is ended with all its relatives, and its ledger is closed', async () => {
  const ready = await readyRun({ program: 'family.py', exec: { grace: 100 } });
  const job = await killedInTheMiddle(ready, (folder) => says(join(folder, 'output.log'), 'all here'));
  const shim = await shimOf(attemptFolder(job));
  expect(isRunning(shim?.pid ?? 0)).toBe(true);
  expect(await audit(ready)).toMatchObject({ open: 1 });
  expect(await sweepLeftovers(ready.home, 'cpu0')).toMatchObject([
    { evaluation: job.evaluation, attempt: '1.1', outcome: 'lost' },
  ]);
  const pids = readdirSync(join(attemptFolder(job), 'out', 'pids'));
  expect(pids).toHaveLength(5);
  expect(
    pids.map((name) => Number(readFileSync(join(attemptFolder(job), 'out', 'pids', name), 'utf8'))).filter(isRunning),
  ).toEqual([]);
  expect(isRunning(shim?.pid ?? 0)).toBe(false);
  expect(existsSync(result(job))).toBe(false);
  expect(await audit(ready)).toEqual({ started: 1, finished: 0, open: 0, overlaps: 0, doubled: 0 });
});

test('a program whose shim was killed as well is found by what it inherited', async () => {
  const ready = await readyRun({ program: 'family.py', exec: { grace: 100 } });
  const job = await killedInTheMiddle(ready, (folder) => says(join(folder, 'output.log'), 'all here'));
  const folder = join(attemptFolder(job), 'out', 'pids');
  await until(() => existsSync(join(folder, 'program')));
  process.kill((await shimOf(attemptFolder(job)))?.pid ?? 0, 'SIGKILL');
  // The program itself dies with its shim, so that nothing runs without a limit.
  await until(() => !isRunning(Number(readFileSync(join(folder, 'program'), 'utf8'))));
  await sweepLeftovers(ready.home, 'cpu0');
  // Only one with an empty environment and a session of its own escapes when both are gone; the last test of
  // this kind in run-attempt.test.ts shows that the shim, while it lives, finds that one too.
  const found = readdirSync(folder).filter((name) => isRunning(Number(readFileSync(join(folder, name), 'utf8'))));
  onTestFinished(() => found.forEach((name) => void process.kill(Number(readFileSync(join(folder, name), 'utf8')), 'SIGKILL')));
  expect(found).toEqual(['stranger']);
  expect(await exitOf(attemptFolder(job))).toMatchObject({ reason: 'lost', ended_by: 'worker' });
});

test('an evaluation that finished after its worker was killed is not lost', async () => {
  const ready = await readyRun({ program: 'slow-value.py' });
  const job = await killedInTheMiddle(ready, (folder) => says(join(folder, 'output.log'), 'begun'));
  writeFileSync(join(attemptFolder(job), 'work', 'go'), '');
  await until(() => existsSync(join(attemptFolder(job), 'exit.json')));
  expect(await sweepLeftovers(ready.home, 'cpu0')).toMatchObject([{ outcome: 'finished' }]);
  expect(JSON.parse(readFileSync(result(job), 'utf8'))).toMatchObject({ status: 'finished', value: 0.5 });
  expect(await audit(ready)).toEqual({ started: 1, finished: 1, open: 0, overlaps: 0, doubled: 0 });
});

test('an attempt whose run was deleted ends by itself, is closed, and nothing is made in its place', async () => {
  const ready = await readyRun({ program: 'slow-value.py' });
  const job = await killedInTheMiddle(ready, (folder) => says(join(folder, 'output.log'), 'begun'));
  const shim = await shimOf(attemptFolder(job));
  rmSync(runPaths(ready.home, job.input.runId).root, { recursive: true });
  await until(() => !isRunning(shim?.pid ?? 0));
  expect(await sweepLeftovers(ready.home, 'cpu0')).toMatchObject([{ outcome: 'lost' }]);
  expect(existsSync(runPaths(ready.home, job.input.runId).root)).toBe(false);
});

test('other devices’ attempts are left alone, and a second sweep finds nothing', async () => {
  const ready = await readyRun({ program: 'slow-value.py', exec: { grace: 100 } });
  const job = await killedInTheMiddle(ready, (folder) => says(join(folder, 'output.log'), 'begun'));
  expect(await sweepLeftovers(ready.home, 'cpu1')).toEqual([]);
  expect(isRunning((await shimOf(attemptFolder(job)))?.pid ?? 0)).toBe(true);
  expect(await sweepLeftovers(ready.home, 'cpu0')).toHaveLength(1);
  expect(await sweepLeftovers(ready.home, 'cpu0')).toEqual([]);
});
