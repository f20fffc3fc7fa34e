import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { holderOf } from '../../../src/adapters/claim.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { readLedgers } from '../../../src/adapters/ledger.ts';
import { sweepLeftovers } from '../../../src/adapters/leftovers.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { recordOf, type AttemptJob } from '../../../src/adapters/run-attempt.ts';
import { judgeAttempt, takeOverWatch, type SeenAttempt } from '../../../src/adapters/take-over.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { attemptFolder, deviceNamed, jobOf, readyRun, says, until, type ReadyRun } from '../../support/evaluations.ts';

const WORKER = join(PACKAGE_ROOT, 'test', 'fixtures', 'evaluating-worker.ts');
/** Longer than a worker that works needs to settle what has ended. */
const LONG_MS = 3_600_000;

const seen = (change: Partial<SeenAttempt>): SeenAttempt => ({
  isWorkerAlive: true,
  isShimAlive: true,
  hasEnded: false,
  forMs: 0,
  limitMs: 60_000,
  ...change,
});

describe('an attempt that another device has', () => {
  test('is waited for while its program may run, with or without its worker', () => {
    expect(judgeAttempt(seen({ forMs: 100_000 }))).toBe('wait');
    expect(judgeAttempt(seen({ forMs: 100_000, isWorkerAlive: false }))).toBe('wait');
    expect(judgeAttempt(seen({ forMs: LONG_MS, isWorkerAlive: false }))).toBe('settle');
  });

  test('is settled at once when it has ended and its worker is dead', () => {
    expect(judgeAttempt(seen({ isWorkerAlive: false, hasEnded: true }))).toBe('settle');
    expect(judgeAttempt(seen({ isWorkerAlive: false, isShimAlive: false }))).toBe('settle');
  });

  test('is left to a living worker for a while when it has ended, since that one settles it itself', () => {
    expect(judgeAttempt(seen({ hasEnded: true, isShimAlive: false, forMs: 1000 }))).toBe('wait');
    expect(judgeAttempt(seen({ hasEnded: true, isShimAlive: false, forMs: 20_000 }))).toBe('settle');
  });

  test('that may not have begun yet is left alone while its worker lives', () => {
    expect(judgeAttempt(seen({ isShimAlive: false, forMs: LONG_MS, limitMs: null }))).toBe('wait');
  });
});

/** An attempt of cpu0 in a process of its own, which gets a signal when the program has begun. */
async function disturbed(ready: ReadyRun, signal: NodeJS.Signals): Promise<AttemptJob> {
  const job = await jobOf(ready);
  const file = join(ready.home.root, 'job.json');
  writeFileSync(file, JSON.stringify({ root: ready.home.root, input: ready.input, device: ready.device }));
  const worker = spawn(process.execPath, [WORKER, file], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await until(() => says(join(attemptFolder(job), 'output.log'), 'begun'));
  worker.kill(signal);
  return job;
}

function letGo(job: AttemptJob): Promise<void> {
  writeFileSync(join(attemptFolder(job), 'work', 'go'), '');
  return until(() => existsSync(join(attemptFolder(job), 'exit.json')));
}

async function audit({ home }: ReadyRun) {
  const { started, finished, open, doubled, overlaps } = auditLedger((await readLedgers(home)).lines);
  return { started, finished, open: open.length, doubled: doubled.length, overlaps: overlaps.length };
}

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'an attempt that ended after %s of its worker is finished from its files by the device that waits for it, once',
  async (signal) => {
    const ready = await readyRun({ program: 'slow-value.py' });
    const job = await disturbed(ready, signal);
    const ours = recordOf({ ...job, device: deviceNamed('cpu1'), attempt: '2.1' });
    const takeOver = takeOverWatch(ready.home, ours);
    await takeOver(0);
    expect(await holderOf(ready.home, ours)).toMatchObject({ device: 'cpu0', attempt: '1.1' });
    await letGo(job);
    await takeOver(0);
    await takeOver(LONG_MS);
    const result = runPaths(ready.home, job.input.runId).result(job.evaluation);
    expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ status: 'finished', value: 0.5, attempt: '1.1' });
    expect(await holderOf(ready.home, ours)).toBeNull();
    expect(await sweepLeftovers(ready.home, 'cpu0')).toEqual([]);
    expect(await audit(ready)).toEqual({ started: 1, finished: 1, open: 0, doubled: 0, overlaps: 0 });
  },
);
