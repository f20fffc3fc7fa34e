import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askToEnd, endByForce, exitOf, shimOf, startAttempt } from '../../../src/adapters/process-group.ts';
import { isAlive } from '../../../src/adapters/process-identity.ts';
import { MARKER_VARIABLE } from '../../../src/adapters/process-tree.ts';
import { pythonPath } from '../../../src/adapters/project.ts';
import type { AttemptLimits, ShimSpec } from '../../../src/domain/attempt.ts';
import { says, until } from '../../support/evaluations.ts';
import { containing, matching } from '../../support/matchers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LIMITS: AttemptLimits = {
  time_s: 60,
  grace_s: 0.1,
  memory_bytes: null,
  output_bytes: 2 ** 20,
  disk_bytes: 2 ** 30,
  files: 100_000,
};

function spec(argv: string[], limits: Partial<AttemptLimits> = {}): ShimSpec {
  const folder = temporaryFolder();
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const env = { PATH: '/usr/bin:/bin', [MARKER_VARIABLE]: folder };
  return { folder, cwd, argv, env, marker: folder, disk_folders: [cwd], limits: { ...LIMITS, ...limits } };
}

const shell = (script: string, limits: Partial<AttemptLimits> = {}): ShimSpec => spec(['/bin/sh', '-c', script], limits);

async function exitAfter(one: ShimSpec) {
  return (await startAttempt(one, pythonPath())).ended;
}

describe('startAttempt', () => {
  test('tells how the program ended, and the record on disk says the same', async () => {
    const one = shell('echo out; echo err >&2; exit 3');
    const exit = await exitAfter(one);
    expect(exit).toMatchObject({ reason: null, exit_code: 3, signal: null, ended_by: 'shim', stragglers: 0 });
    expect(await exitOf(one.folder)).toEqual(exit);
    expect(readFileSync(join(one.folder, 'output.log'), 'utf8')).toBe('out\nerr\n');
  });

  test('the program meets the usual signals: none ignored, none blocked', async () => {
    // Not through a shell, which puts some of them right by itself.
    const one = spec(['/bin/cat', '/proc/self/status']);
    await exitAfter(one);
    const status = readFileSync(join(one.folder, 'output.log'), 'utf8');
    expect(status.match(/^Sig(Ign|Blk):\s+0+$/gm)).toHaveLength(2);
  });

  test('the program runs in its folder, with exactly its environment, no input and no core files', async () => {
    const one = shell('env | sort | grep -v -e ^_= -e ^SHLVL; pwd; cat; ulimit -c');
    await exitAfter(one);
    const lines = readFileSync(join(one.folder, 'output.log'), 'utf8').trim().split('\n');
    expect(lines).toContain('PATH=/usr/bin:/bin');
    expect(lines.filter((line) => line.includes('='))).toHaveLength(3);
    expect(lines).toContain(one.cwd);
    expect(lines).toContain('0');
  });

  test('a program that is not there is an exit code with words', async () => {
    const one = spec(['/nowhere/program']);
    expect(await exitAfter(one)).toMatchObject({ reason: null, exit_code: 127 });
    expect(says(join(one.folder, 'output.log'), '/nowhere/program could not be started')).toBe(true);
  });

  test('measures the program: memory of its largest process, and CPU time of all', async () => {
    const exit = await exitAfter(spec([pythonPath(), '-S', '-c', 'x = b"x" * (64 << 20); sum(range(10**6))']));
    expect(exit.peak_memory_kib).toBeGreaterThan(64 * 1024);
    expect(exit.cpu_ms).toBeGreaterThan(0);
  });

  test('an unusual signal has a name too', async () => {
    expect(await exitAfter(shell('kill -40 $$'))).toMatchObject({ exit_code: null, signal: matching(/^SIG/) });
  });

  test('fails with words when there is no such Python', async () => {
    const failing = startAttempt(shell('true'), '/nowhere/python');
    await expect(failing).rejects.toMatchObject({ type: 'HostFailed', message: containing('/nowhere/python') });
  });
});

describe('ending an attempt', () => {
  test('asks the program first, and the shim survives what the whole group is told', async () => {
    const one = shell('trap "echo asked; exit 0" TERM; echo ready; while true; do sleep 0.02; done', { grace_s: 20 });
    const running = await startAttempt(one, pythonPath());
    await until(() => says(join(one.folder, 'output.log'), 'ready'));
    const shim = await shimOf(one.folder);
    process.kill(shim?.pid ?? 0, 'SIGTERM');
    process.kill(shim?.pid ?? 0, 'SIGHUP');
    await askToEnd(one.folder);
    expect(await running.ended).toMatchObject({ reason: 'cancelled', exit_code: 0 });
    expect(says(join(one.folder, 'output.log'), 'asked')).toBe(true);
    expect(shim !== null && isAlive(shim)).toBe(false);
  });

  test('ends a program that stopped itself', async () => {
    const one = shell('echo ready; kill -STOP $$');
    const running = await startAttempt(one, pythonPath());
    await until(() => says(join(one.folder, 'output.log'), 'ready'));
    await running.end();
    expect(await running.ended).toMatchObject({ reason: 'cancelled', signal: 'SIGKILL' });
  });

  test('by force is done when nothing is alive, and keeps an exit.json that was written in time', async () => {
    const one = shell('exit 5');
    await exitAfter(one);
    expect(await endByForce(one)).toMatchObject({ exit_code: 5, ended_by: 'shim' });
  });

  test('by force writes the exit.json that a killed shim owes', async () => {
    const one = shell('sleep 600');
    const running = await startAttempt(one, pythonPath());
    await until(() => says(join(one.folder, 'shim.json'), 'pid'));
    expect(await endByForce(one, { reason: 'timeout', duration_ms: 5 })).toMatchObject({ reason: 'timeout', ended_by: 'worker' });
    expect(await running.ended).toMatchObject({ ended_by: 'worker' });
  });
});

test('what a program writes over the records is not believed blindly', async () => {
  const one = shell('true');
  await exitAfter(one);
  for (const text of ['', '{}', '{"pid": "1"}', 'null']) {
    writeFileSync(join(one.folder, 'shim.json'), text);
    writeFileSync(join(one.folder, 'exit.json'), text);
    expect(await shimOf(one.folder)).toBeNull();
    expect(await exitOf(one.folder)).toBeNull();
  }
  expect(statSync(join(one.folder, 'shim.log')).size).toBe(0);
});
