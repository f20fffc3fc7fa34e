import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identityOf, type ProcessIdentity } from '../../../src/adapters/process-identity.ts';
import { endSurvivors, findSurvivors, MARKER_VARIABLE } from '../../../src/adapters/process-tree.ts';
import { isRunning, until } from '../../support/evaluations.ts';

interface Start {
  readonly marker?: string;
  readonly script?: string;
}

async function start({ marker, script = 'sleep 600 & sleep 600; wait' }: Start): Promise<ProcessIdentity> {
  const env = { PATH: process.env['PATH'], ...(marker === undefined ? {} : { [MARKER_VARIABLE]: marker }) };
  const child: ChildProcess = spawn('/bin/sh', ['-c', script], { detached: true, env, stdio: 'ignore' });
  onTestFinished(() => endGroup(child.pid ?? 0));
  await new Promise((resolve) => child.once('spawn', resolve));
  const identity = identityOf(child.pid ?? 0);
  if (identity === null) throw new Error('it ended at once');
  return identity;
}

/** Kills a group that this test made, if anything of it is left. */
function endGroup(group: number): void {
  try {
    if (group > 1) process.kill(-group, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

const pids = (found: readonly ProcessIdentity[]): number[] => found.map(({ pid }) => pid).sort();

describe('findSurvivors', () => {
  test('finds what carries the marker, and not what carries another', async () => {
    const marker = randomUUID();
    const mine = await start({ marker, script: 'exec sleep 600' });
    await start({ marker: `${marker}x`, script: 'exec sleep 600' });
    await start({ marker: randomUUID(), script: 'exec sleep 600' });
    await until(() => findSurvivors({ marker, shim: null }).length > 0);
    expect(pids(findSurvivors({ marker, shim: null }))).toEqual([mine.pid]);
  });

  test('finds the session of the shim, and the children of what it found', async () => {
    const shim = await start({});
    await until(() => findSurvivors({ marker: 'none', shim }).length === 3);
    expect(pids(findSurvivors({ marker: 'none', shim }))).toContain(shim.pid);
  });

  test('finds a child that shed marker and session, as long as its parent lives', async () => {
    const marker = randomUUID();
    const parent = await start({ marker, script: 'env -i setsid sleep 600 & wait' });
    await until(() => findSurvivors({ marker, shim: null }).length === 2);
    const found = findSurvivors({ marker, shim: null });
    expect(pids(found)).toContain(parent.pid);
    // A process that is being replaced by another program may be counted under both.
    expect(await endSurvivors({ marker, shim: null })).toBeGreaterThanOrEqual(2);
    expect(found.filter(({ pid }) => isRunning(pid))).toEqual([]);
  });

  test('finds nothing for a process that got the number of the shim, or for another boot', async () => {
    const shim = await start({});
    expect(findSurvivors({ marker: 'none', shim: { ...shim, startTime: '1' } })).toEqual([]);
    expect(findSurvivors({ marker: 'none', shim: { ...shim, bootId: 'before' } })).toEqual([]);
  });

  test('never finds itself, even when it carries the marker', async () => {
    const marker = randomUUID();
    const script = [
      `import { findSurvivors } from '${new URL('../../../src/adapters/process-tree.ts', import.meta.url).href}';`,
      `process.exitCode = findSurvivors({ marker: '${marker}', shim: null }).length;`,
    ].join('\n');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, [MARKER_VARIABLE]: marker },
    });
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  });
});

describe('endSurvivors', () => {
  test('comes back when all of them are dead, and a bystander lives', async () => {
    const bystander = await start({ marker: randomUUID() });
    const marker = randomUUID();
    const deaf = await start({ marker, script: "trap '' TERM INT HUP; while true; do sleep 1; done" });
    expect(await endSurvivors({ marker, shim: null })).toBeGreaterThan(0);
    expect(isRunning(deaf.pid)).toBe(false);
    expect(isRunning(bystander.pid)).toBe(true);
  });

  test('has nothing to do where nothing is', async () => {
    expect(await endSurvivors({ marker: randomUUID(), shim: null })).toBe(0);
  });

  test('outruns a process that keeps having children', async () => {
    const marker = randomUUID();
    await start({ marker, script: "trap '' TERM; while true; do (setsid sleep 600 &); sleep 0.01; done" });
    await until(() => findSurvivors({ marker, shim: null }).length > 5);
    await endSurvivors({ marker, shim: null });
    expect(findSurvivors({ marker, shim: null })).toEqual([]);
  });
});
