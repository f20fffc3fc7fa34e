import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, describe, onTestFinished, test } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from '../../../../src/adapters/process-identity.ts';
import { takeLock } from '../../../../src/adapters/process-lock.ts';
import { endByForce } from '../../../../src/adapters/process-group.ts';
import { readLedger } from '../../../../src/adapters/ledger.ts';
import { runAttempt, type AttemptJob } from '../../../../src/adapters/run-attempt.ts';
import { lockPath, writeWorkerRecord, type WorkerKind } from '../../../../src/workers/records.ts';
import type { Blow, Target } from '../../../../src/workers/faults/fault.ts';
import { PROCESS_FAULTS } from '../../../../src/workers/faults/process-faults.ts';
import { attemptFolder, deviceNamed, jobOf, readyRun, says, until } from '../../../support/evaluations.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SERVER = { address: '127.0.0.1:1', namespace: 'default', webUi: null, embedded: true };

/** A process, and one just like it that no record names. */
async function startTwo(): Promise<[ProcessIdentity, ProcessIdentity]> {
  const children = [1, 2].map((): ChildProcess => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  });
  await Promise.all(children.map((child) => once(child, 'spawn')));
  const [one, two] = children.map((child) => identityOf(child.pid ?? 0));
  if (one === undefined || one === null || two === undefined || two === null) throw new Error('a process has no identity');
  return [one, two];
}

async function writeRecord({ home }: Target, kind: WorkerKind, identity: ProcessIdentity): Promise<string> {
  const device = kind === 'device' ? deviceNamed('cpu0') : null;
  const role = kind === 'device' ? 'device-cpu0' : kind;
  const order = { kind, server: SERVER, queuePrefix: '', device };
  await writeWorkerRecord(home, { v: 1, role, order, identity, state: 'ready', problem: null });
  return role;
}

function strike(name: string, target: Target): Promise<Blow | null> {
  const fault = PROCESS_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault.strike(target);
}

describe('faults done to processes', () => {
  const newTarget = (): Target => ({ home: { root: temporaryFolder() }, runId: 'r' });

  test('find nothing to hit in a project of which nothing runs', async () => {
    const target = newTarget();
    for (const fault of PROCESS_FAULTS) expect(await fault.strike(target), fault.name).toBeNull();
  });

  test.each([
    ['control_worker', 'control'],
    ['proposals_worker', 'proposals'],
    ['device_worker', 'device'],
    ['all_workers', 'device'],
    ['services', 'control'],
  ] as const)('%s kills what a record names, and nothing that merely looks like it', async (name, kind) => {
    const target = newTarget();
    const [worker, bystander] = await startTwo();
    const role = await writeRecord(target, kind, worker);
    expect(await strike(name, target)).toEqual({ hits: [`SIGKILL ${role} (${worker.pid})`], release: null });
    await until(() => !isAlive(worker));
    expect(isAlive(bystander)).toBe(true);
  });

  test('believe no record whose process is another one by now', async () => {
    const target = newTarget();
    const [worker] = await startTwo();
    await writeRecord(target, 'control', { ...worker, startTime: 'long ago' });
    expect(await strike('control_worker', target)).toBeNull();
    expect(isAlive(worker)).toBe(true);
  });

  test('a device that is gone stays away until it is given back', async () => {
    const target = newTarget();
    const [worker] = await startTwo();
    const role = await writeRecord(target, 'device', worker);
    const blow = await strike('gone_device', target);
    await until(() => !isAlive(worker));
    expect((await takeLock(lockPath(target.home, role), 'its next worker')).held).toBe(false);
    await blow?.release?.();
    const lock = await takeLock(lockPath(target.home, role), 'its next worker');
    expect(lock.held).toBe(true);
    if (lock.held) await lock.release();
  });
});

describe('faults done to a training', { timeout: 120_000 }, () => {
  /** A training with a child that stays, by the real shim. */
  async function training(): Promise<{ job: AttemptJob; ended: Promise<unknown>; target: Target }> {
    const job = await jobOf(await readyRun({ program: 'family.py' }));
    const ended = runAttempt(job, new AbortController().signal).catch((error: unknown) => error);
    onTestFinished(async () => {
      await endByForce({ folder: attemptFolder(job), marker: attemptFolder(job) });
      await ended;
    });
    await until(() => says(`${attemptFolder(job)}/output.log`, 'all here'));
    return { job, ended, target: { home: job.home, runId: job.input.runId } };
  }

  test('tell shim, program and what the program started apart', async () => {
    const { ended, target } = await training();
    const child = await strike('grandchild', target);
    expect(child?.hits).toHaveLength(1);
    expect(child?.hits[0]).toMatch(/^SIGKILL grandchild of cpu0 /);
    const stopped = await strike('stopped_shim', target);
    expect(stopped?.hits).toEqual([expect.stringMatching(/^SIGSTOP shim of cpu0 /)]);
    await stopped?.release?.();
    expect((await strike('program', target))?.hits[0]).toMatch(/^SIGKILL program of cpu0 /);
    expect(await ended).toMatchObject({ status: 'failed', reason: 'signal' });
  });

  test('a killed shim takes its training with it, and the attempt counts as lost', async () => {
    const { job, ended, target } = await training();
    expect((await strike('shim', target))?.hits).toEqual([expect.stringMatching(/^SIGKILL shim of cpu0 /)]);
    expect(await ended).toBeInstanceOf(Error);
    const { lines } = await readLedger(job.home, 'cpu0');
    expect(lines.at(-1)).toMatchObject({ event: 'dead', outcome: 'lost' });
  });
});
