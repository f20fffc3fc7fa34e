import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { releaseClaim, takeClaim } from '../../../src/adapters/claim.ts';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { identityOf, ownIdentity } from '../../../src/adapters/process-identity.ts';
import { AttemptRecord } from '../../../src/domain/attempt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const record = (device: string, attempt = '1.1'): AttemptRecord =>
  AttemptRecord.parse({
    v: 1,
    runId: 'r',
    evaluation: '0'.repeat(32),
    attempt,
    device,
    kind: 'measure',
    dataset: 'a',
    seed: 1,
    metric: { name: 'score', direction: 'maximize' },
    activity: null,
  });

const folder = (home: Home): string => runPaths(home, 'r').evaluation(record('cpu0').evaluation);

/** A claim as another process left it. */
function leave(home: Home, worker: object, device = 'cpu1', attempt = '1.1'): void {
  mkdirSync(folder(home), { recursive: true });
  writeFileSync(join(folder(home), 'claim.json'), JSON.stringify({ worker, device, attempt }));
}

function sleeper(): object {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return identityOf(child.pid ?? 0) ?? {};
}

test('only one of those who want it at once gets it, and the next when it is given up', async () => {
  const home = { root: temporaryFolder() };
  const devices = Array.from({ length: 8 }, (_, index) => `cpu${index}`);
  const taken = await Promise.all(devices.map((device) => takeClaim(home, record(device))));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const winner = record(devices[taken.indexOf(true)] ?? '');
  const other = record(devices[taken.indexOf(false)] ?? '');
  await releaseClaim(home, other);
  expect(await takeClaim(home, other)).toBe(false);
  await releaseClaim(home, winner);
  expect(await takeClaim(home, other)).toBe(true);
  expect(readdirSync(folder(home))).toEqual(['claim.json']);
});

test('is held while the worker that took it is alive, and taken over when it is dead', async () => {
  const home = { root: temporaryFolder() };
  const alive = sleeper();
  leave(home, alive);
  expect(await takeClaim(home, record('cpu0'))).toBe(false);
  leave(home, { ...alive, startTime: '1' });
  expect(await takeClaim(home, record('cpu0'))).toBe(true);
});

test('is held while the shim of a dead worker is alive', async () => {
  const home = { root: temporaryFolder() };
  leave(home, { ...ownIdentity(), startTime: '1' });
  const attempt = runPaths(home, 'r').attempt(record('cpu1').evaluation, '1.1');
  mkdirSync(attempt, { recursive: true });
  writeFileSync(join(attempt, 'shim.json'), JSON.stringify(sleeper()));
  expect(await takeClaim(home, record('cpu0'))).toBe(false);
});

test('one that our own device left is ours again', async () => {
  const home = { root: temporaryFolder() };
  leave(home, ownIdentity(), 'cpu0', '1.1');
  expect(await takeClaim(home, record('cpu0', '1.2'))).toBe(true);
});

test('one that cannot be read is nobody’s', async () => {
  const home = { root: temporaryFolder() };
  mkdirSync(folder(home), { recursive: true });
  writeFileSync(join(folder(home), 'claim.json'), '{');
  expect(await takeClaim(home, record('cpu0'))).toBe(true);
});

test('giving up one that was never taken does nothing', async () => {
  const home = { root: temporaryFolder() };
  await releaseClaim(home, record('cpu0'));
  expect(existsSync(folder(home))).toBe(false);
});
