import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeDevice } from '../../../src/adapters/device-lock.ts';
import { takeFreeDevice } from '../../../src/adapters/free-device.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { appendLedger, readLedger, readLedgers } from '../../../src/adapters/ledger.ts';
import { newRerun, readRerun, rerunEvaluation } from '../../../src/adapters/rerun.ts';
import { runAttempt } from '../../../src/adapters/run-attempt.ts';
import { CarriedNode } from '../../../src/domain/fork.ts';
import { DeviceName, EvaluationId, RunId } from '../../../src/domain/ids.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { good } from '../../support/cli-fixtures.ts';
import { deviceNamed, isRunning, jobOf, readyRun, says, until, type ReadyRun } from '../../support/evaluations.ts';
import { containing } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const noSignal = new AbortController().signal;

/** The node of a ready run, ready to be run again. */
async function rerunOf(ready: ReadyRun) {
  const { home, run, input } = ready;
  const node = CarriedNode.parse(good(1, 0.5, { experiment: input.experiment }));
  return { work: await readRerun(home, run, node), id: await newRerun(home, run.plan.runId) };
}

describe('a rerun', () => {
  test('runs again although there is a result, which stays byte for byte', async () => {
    const ready = await readyRun({ program: 'value.py', parameters: { x: 0.75 } });
    const job = await jobOf(ready);
    await runAttempt(job, noSignal);
    const { result } = runPaths(ready.home, job.input.runId);
    const before = readFileSync(result(job.evaluation));
    const { work, id } = await rerunOf(ready);
    const { dataset, seed } = ready.input;
    const again = await rerunEvaluation(work, { id, device: ready.device, dataset, seed }, noSignal);
    expect(again).toMatchObject({ status: 'finished', value: 0.75, cached: false, evaluation: job.evaluation });
    expect(readFileSync(result(job.evaluation)).equals(before)).toBe(true);
    expect(runPaths(ready.home, id).root).toBe(join(runPaths(ready.home, job.input.runId).reruns, '1'));
    expect(existsSync(runPaths(ready.home, id).attempt(job.evaluation, '1.1'))).toBe(true);
  });

  test('is in the ledger without counting as the same work twice', async () => {
    const ready = await readyRun({ program: 'value.py' });
    await runAttempt(await jobOf(ready), noSignal);
    const { work, id } = await rerunOf(ready);
    await rerunEvaluation(work, { id, device: ready.device, dataset: 'a', seed: 3 }, noSignal);
    const audit = auditLedger((await readLedgers(ready.home)).lines);
    expect(audit).toMatchObject({ started: 2, finished: 2, open: [], overlaps: [], doubled: [] });
  });

  test('that is interrupted is dead when it returns', async () => {
    const ready = await readyRun({ program: 'slow-value.py' });
    const { work, id } = await rerunOf(ready);
    const controller = new AbortController();
    const running = rerunEvaluation(work, { id, device: ready.device, dataset: 'a', seed: 3 }, controller.signal);
    const { evaluation } = await jobOf(ready);
    const folder = runPaths(ready.home, id).attempt(evaluation, '1.1');
    await until(() => says(join(folder, 'output.log'), 'begun'));
    controller.abort();
    expect(await running).toBeNull();
    const { pid } = JSON.parse(readFileSync(join(folder, 'shim.json'), 'utf8')) as { pid: number };
    expect(isRunning(pid)).toBe(false);
    expect(auditLedger((await readLedgers(ready.home)).lines).open).toEqual([]);
  });

  test('of a tampered experiment is refused before anything runs', async () => {
    const ready = await readyRun({ program: 'value.py' });
    writeFileSync(runPaths(ready.home, ready.input.runId).artifact(ready.input.experiment), '{"v":1}');
    await expect(rerunOf(ready)).rejects.toMatchObject({ type: 'ArtifactCorrupt' });
    expect((await readLedgers(ready.home)).lines).toEqual([]);
  });

  test('two that begin at once get two folders', async () => {
    const home = { root: temporaryFolder() };
    const run = RunId.parse('one');
    const ids = await Promise.all([1, 2, 3, 4].map(() => newRerun(home, run)));
    expect([...ids].sort()).toEqual(['one.rerun-1', 'one.rerun-2', 'one.rerun-3', 'one.rerun-4']);
  });
});

describe('takeFreeDevice', () => {
  const devices = ['cpu0', 'cpu1'].map(deviceNamed);
  const line = { v: 1, evaluation: EvaluationId.parse('0'.repeat(32)), attempt: '1.1', at: 1 } as const;
  const cpu0 = DeviceName.parse('cpu0');

  test('takes the first that nobody holds, and holds it', async () => {
    const home = { root: temporaryFolder() };
    const busy = await takeDevice(home, deviceNamed('cpu0'));
    const held = await takeFreeDevice(home, devices, 'scientist rerun');
    expect(held.device.name).toBe('cpu1');
    await expect(takeDevice(home, held.device)).rejects.toMatchObject({ message: containing('scientist rerun') });
    await busy.release();
    await held.release();
  });

  test('says who has each of them when none is free', async () => {
    const home = { root: temporaryFolder() };
    const locks = await Promise.all(devices.map((device) => takeDevice(home, device)));
    await expect(takeFreeDevice(home, devices, 'x')).rejects.toMatchObject({
      type: 'NoDevice',
      message: expect.stringMatching(/cpu0 is held by.*cpu1 is held by/) as string,
      fix: containing('Wait until'),
    });
    await Promise.all(locks.map((lock) => lock.release()));
    await expect(takeFreeDevice(home, [], 'x')).rejects.toMatchObject({ type: 'NoDevice', fix: containing('scientist devices') });
  });

  test('leaves a device alone on which a killed worker left an evaluation, and leaves it free', async () => {
    const home = { root: temporaryFolder() };
    await appendLedger(home, { ...line, event: 'started', device: cpu0, run: RunId.parse('one') });
    const held = await takeFreeDevice(home, devices, 'x');
    expect(held.device.name).toBe('cpu1');
    await (await takeDevice(home, deviceNamed('cpu0'))).release();
    await held.release();
    expect((await readLedger(home, 'cpu0')).lines).toHaveLength(1);
  });

  test('ends what a killed rerun left running', async () => {
    const ready = await readyRun({ program: 'slow-value.py' });
    const { work, id } = await rerunOf(ready);
    const controller = new AbortController();
    const order = { id, device: ready.device, dataset: 'a', seed: 3 };
    const running = rerunEvaluation(work, order, controller.signal).catch(() => null);
    const { evaluation } = await jobOf(ready);
    const folder = runPaths(ready.home, id).attempt(evaluation, '1.1');
    await until(() => says(join(folder, 'output.log'), 'begun'));
    const { pid } = JSON.parse(readFileSync(join(folder, 'shim.json'), 'utf8')) as { pid: number };
    const held = await takeFreeDevice(ready.home, devices, 'x');
    expect(held.device.name).toBe('cpu0');
    expect(isRunning(pid)).toBe(false);
    controller.abort();
    expect(await running).toBeNull();
    await held.release();
  });
});
