import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attemptPaths } from '../../../src/adapters/attempt-folder.ts';
import { readLedger } from '../../../src/adapters/ledger.ts';
import { exitOf } from '../../../src/adapters/process-group.ts';
import { findSurvivors } from '../../../src/adapters/process-tree.ts';
import { runAttempt, type AttemptJob } from '../../../src/adapters/run-attempt.ts';
import type { EvaluationResult } from '../../../src/domain/evaluation.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { attemptFolder, isRunning, jobOf, readyRun, says, until, type RunWish } from '../../support/evaluations.ts';
import { containing } from '../../support/matchers.ts';

/** Real programs under the real shim. Whatever they do, they end, they are dead, and the reason is the right one. */

const never = new AbortController().signal;

async function attemptAt(wish: RunWish): Promise<{ job: AttemptJob; result: EvaluationResult | null }> {
  const job = await jobOf(await readyRun(wish));
  return { job, result: await runAttempt(job, never) };
}

async function outcomes(job: AttemptJob): Promise<string[]> {
  const { lines } = await readLedger(job.home, job.device.name);
  return lines.map((line) => (line.event === 'dead' ? line.outcome : line.event));
}

function alive(job: AttemptJob): number {
  return findSurvivors({ marker: attemptFolder(job), shim: null }).length;
}

function pidsOf(job: AttemptJob): number[] {
  const folder = join(attemptFolder(job), 'out', 'pids');
  return readdirSync(folder).map((name) => Number(readFileSync(join(folder, name), 'utf8')));
}

describe('a program that ends well', () => {
  test('gives its final value, and its files, output and measurements are kept', async () => {
    const { job, result } = await attemptAt({ program: 'value.py', parameters: { x: 0.75 } });
    expect(result).toMatchObject({ status: 'finished', value: 0.75, attempt: '1.1', device: 'cpu0', cached: false, figures: 0 });
    expect(result?.peakMemoryMiB).toBeGreaterThan(1);
    const folder = attemptFolder(job);
    expect(readFileSync(join(folder, 'output.log'), 'utf8').split('\n').sort()).toEqual(['', 'said on stderr', 'said on stdout']);
    expect(readFileSync(join(folder, 'work', 'beside.txt'), 'utf8')).toBe('written in the working folder');
    expect(JSON.parse(readFileSync(join(folder, 'work', 'parameters.json'), 'utf8'))).toEqual({ x: 0.75 });
    expect(existsSync(attemptPaths(folder).temporary)).toBe(false);
    expect(await outcomes(job)).toEqual(['started', 'finished']);
  });

  test('counts the figures that a plot program draws, and has no value', async () => {
    const ready = await readyRun({ program: 'draw.py' });
    const job = await jobOf({ ...ready, input: { ...ready.input, kind: 'plot' } });
    expect(await runAttempt(job, never)).toMatchObject({ status: 'finished', value: null, figures: 2 });
  });
});

describe('a program that fails', () => {
  const cases: [string, RunWish, object][] = [
    [
      'by an exception, after it reported a value',
      { program: 'raise.py' },
      { reason: 'exception', message: 'ValueError: depth must be at least 1', exitCode: 1 },
    ],
    [
      'by an exit code',
      { program: 'report.py', parameters: { code: 7, say: 'out of luck' } },
      { reason: 'exit_code', exitCode: 7 },
    ],
    ['by a crash of the interpreter', { program: 'segfault.py' }, { reason: 'signal', signal: 'SIGSEGV', exitCode: null }],
    ['without a final value', { program: 'report.py' }, { reason: 'no_result', exitCode: 0 }],
    [
      'with a value that is not finite',
      { program: 'report.py', parameters: { lines: '{"metric": "score", "dataset": "a", "value": NaN}\n' } },
      { reason: 'bad_result', message: 'reported NaN for score, which is not a finite number' },
    ],
    [
      'because a pipe is where its results should be',
      { program: 'traps.py', parameters: { kind: 'pipe' } },
      { reason: 'no_result' },
    ],
    [
      'because a link is where its results should be',
      { program: 'traps.py', parameters: { kind: 'link' } },
      { reason: 'no_result' },
    ],
    [
      'because a folder is where its results should be',
      { program: 'traps.py', parameters: { kind: 'folder' } },
      { reason: 'no_result' },
    ],
  ];
  test.each(cases)('%s', async (_, wish, expected) => {
    const { job, result } = await attemptAt(wish);
    expect(result).toMatchObject({ status: 'failed', ...expected });
    expect(await outcomes(job)).toEqual(['started', 'finished']);
  });
});

describe('a program that passes a limit', () => {
  test('of time is ended', async () => {
    const { job, result } = await attemptAt({ program: 'stubborn.py', exec: { timeout: 600, grace: 100 } });
    expect(result).toMatchObject({ status: 'failed', reason: 'timeout' });
    expect(alive(job)).toBe(0);
  });

  test('of output is stopped, and the first and the last of it are kept', async () => {
    const { job, result } = await attemptAt({ program: 'flood.py', exec: { output: '64KiB' } });
    expect(result).toMatchObject({ status: 'failed', reason: 'output_too_large' });
    const output = readFileSync(join(attemptFolder(job), 'output.log'), 'utf8');
    expect(output.length).toBeLessThan(66 * 1024);
    expect(output.startsWith('the first line\n')).toBe(true);
    expect(output).toMatch(/\n\.\.\. \d+ bytes left out \.\.\.\n/);
  });

  test('of memory is killed, its processes counted together', async () => {
    const { job, result } = await attemptAt({ program: 'hog.py', parameters: { mode: 'apart' }, exec: { memory: '200MiB' } });
    expect(result).toMatchObject({ status: 'failed', reason: 'out_of_memory' });
    expect(alive(job)).toBe(0);
  });

  test('of memory is not passed by what its processes share', async () => {
    const { result } = await attemptAt({ program: 'hog.py', parameters: { mode: 'shared' }, exec: { memory: '200MiB' } });
    expect(result).toMatchObject({ status: 'failed', reason: 'no_result' });
  });

  test('of one file’s size is told so, although Python sees it as an exception', async () => {
    const { job, result } = await attemptAt({ program: 'big-file.py', exec: { disk: '1MiB' } });
    expect(result).toMatchObject({ status: 'failed', reason: 'disk_quota' });
    expect(statSync(join(attemptFolder(job), 'work', 'large.bin')).size).toBe(2 ** 20);
  });

  test('of its folders’ size is stopped, however small its files', async () => {
    const { result } = await attemptAt({ program: 'big-file.py', parameters: { many: true }, exec: { disk: '2MiB' } });
    expect(result).toMatchObject({ status: 'failed', reason: 'disk_quota' });
  });
});

describe('what a program leaves running', () => {
  test('is dead with it, wherever it hid, and a bystander lives', async () => {
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const { job, result } = await attemptAt({ program: 'family.py', parameters: { stay: false }, exec: { grace: 200 } });
    expect(result).toMatchObject({ status: 'failed', reason: 'no_result', exitCode: 0 });
    expect(pidsOf(job)).toHaveLength(5);
    expect(pidsOf(job).filter(isRunning)).toEqual([]);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
    expect(await exitOf(attemptFolder(job))).toMatchObject({ stragglers: 4 });
  });
});

describe('an attempt that is cancelled', () => {
  test('leaves nothing alive and gives no result', async () => {
    const job = await jobOf(await readyRun({ program: 'family.py', exec: { grace: 200 } }));
    const control = new AbortController();
    const running = runAttempt(job, control.signal);
    await until(() => says(join(attemptFolder(job), 'output.log'), 'all here'));
    control.abort();
    expect(await running).toBeNull();
    expect(pidsOf(job).filter(isRunning)).toEqual([]);
    expect(await outcomes(job)).toEqual(['started', 'cancelled']);
  });

  test('is killed after its grace period when it ignores every signal', async () => {
    const job = await jobOf(await readyRun({ program: 'stubborn.py', exec: { grace: 100 } }));
    const control = new AbortController();
    const running = runAttempt(job, control.signal);
    await until(() => says(join(attemptFolder(job), 'output.log'), 'deaf'));
    control.abort();
    expect(await running).toBeNull();
    expect(await exitOf(attemptFolder(job))).toMatchObject({ reason: 'cancelled', signal: 'SIGKILL' });
    expect(alive(job)).toBe(0);
  });

  test('lets the program save a checkpoint, asks it once, and the next attempt finds what it saved', async () => {
    const ready = await readyRun({ program: 'polite.py', exec: { grace: 20_000 } });
    const job = await jobOf(ready);
    for (const [attempt, found] of [
      ['1.1', 'found nothing'],
      ['1.2', 'found asked 1'],
    ] as const) {
      const control = new AbortController();
      const running = runAttempt({ ...job, attempt }, control.signal);
      await until(() => says(join(attemptFolder({ ...job, attempt }), 'output.log'), found));
      control.abort();
      expect(await running).toBeNull();
    }
    const { lines } = await readLedger(job.home, 'cpu0');
    expect(auditLedger(lines)).toMatchObject({ started: 2, finished: 0, open: [], overlaps: [], doubled: [] });
  });

  test('before it began does not run', async () => {
    const job = await jobOf(await readyRun({ program: 'value.py' }));
    expect(await runAttempt(job, AbortSignal.abort())).toBeNull();
    expect(await outcomes(job)).toEqual([]);
  });
});

describe('an attempt whose shim is killed', () => {
  test('is verified dead, relatives included, and is the platform’s failure and not the program’s', async () => {
    const job = await jobOf(await readyRun({ program: 'kill-shim.py' }));
    await expect(runAttempt(job, never)).rejects.toMatchObject({ type: 'HostFailed', retryable: true });
    const relative = Number(readFileSync(join(attemptFolder(job), 'out', 'relative'), 'utf8'));
    expect(isRunning(relative)).toBe(false);
    expect(await exitOf(attemptFolder(job))).toMatchObject({ reason: 'lost', ended_by: 'worker' });
    expect(await outcomes(job)).toEqual(['started', 'lost']);
  });

  test('and whose interpreter is missing says what to do', async () => {
    const job = await jobOf(await readyRun({ program: 'value.py' }));
    const run = { ...job.run, environment: { ...job.run.environment, python: '/nowhere/python' } };
    await expect(runAttempt({ ...job, run }, never)).rejects.toMatchObject({
      type: 'HostFailed',
      fix: containing('setup'),
    });
    expect(await outcomes(job)).toEqual(['started', 'lost']);
  });
});

test('an attempt of a name that was used before gets a fresh folder, and the old one is kept', async () => {
  const { job } = await attemptAt({ program: 'value.py' });
  await runAttempt(job, never);
  expect(readdirSync(join(attemptFolder(job), '..')).sort()).toEqual(['1.1', '1.1.old-1']);
});
