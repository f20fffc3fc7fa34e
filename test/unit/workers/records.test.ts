import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homePaths, type Home } from '../../../src/adapters/layout.ts';
import { identityOf, ownIdentity, type ProcessIdentity } from '../../../src/adapters/process-identity.ts';
import type { Device } from '../../../src/domain/device.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import { DeviceName } from '../../../src/domain/ids.ts';
import {
  hostedDevices,
  liveAttachments,
  livingWorkers,
  problemFailure,
  readWorkerRecord,
  recordPath,
  roleOf,
  toProblem,
  writeWorkerRecord,
  type WorkerRecord,
} from '../../../src/workers/records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const server = { address: '127.0.0.1:7233', namespace: 'default', webUi: null, embedded: true };

function device(name: string): Device {
  return { name: DeviceName.parse(name), host: 'lab', kind: 'cpu', queue: `device.lab.${name}`, uuid: null, memoryMiB: null };
}

function record(change: Partial<WorkerRecord> & { device?: Device | null } = {}): WorkerRecord {
  const { device: own = null, ...rest } = change;
  const order = { kind: own === null ? ('control' as const) : ('device' as const), server, queuePrefix: '', device: own };
  return { v: 1, role: roleOf(order), order, identity: ownIdentity(), state: 'ready', problem: null, ...rest };
}

async function deadIdentity(): Promise<ProcessIdentity> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const identity = identityOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity ?? ownIdentity();
}

describe('a role', () => {
  test('names the worker, and keeps prefixes apart in a way that fits a file name', () => {
    expect(roleOf({ kind: 'control', queuePrefix: '', device: null })).toBe('control');
    expect(roleOf({ kind: 'device', queuePrefix: '', device: device('cpu0') })).toBe('device-cpu0');
    const roles = ['a/b', 'a_b', 'a.b'].map((queuePrefix) => roleOf({ kind: 'proposals', queuePrefix, device: null }));
    expect(new Set(roles).size).toBe(3);
    expect(roles.every((role) => /^proposals\.[A-Za-z0-9._-]+$/.test(role))).toBe(true);
  });
});

describe('worker records', () => {
  test('are read as they were written', async () => {
    const home: Home = { root: temporaryFolder() };
    await writeWorkerRecord(home, record());
    expect(await readWorkerRecord(home, 'control')).toEqual(record());
    expect(await readWorkerRecord(home, 'proposals')).toBeNull();
  });

  test('count only while their process lives; devices only once they are ready', async () => {
    const home: Home = { root: temporaryFolder() };
    expect(await livingWorkers(home)).toEqual([]);
    await writeWorkerRecord(home, record({ device: device('cpu0') }));
    await writeWorkerRecord(home, record({ device: device('cpu1'), state: 'starting' }));
    await writeWorkerRecord(home, record({ device: device('cpu2'), identity: await deadIdentity() }));
    await writeWorkerRecord(home, record({ device: device('cpu3'), state: 'failed' }));
    expect((await livingWorkers(home)).map(({ role }) => role)).toEqual(['device-cpu0', 'device-cpu1']);
    expect((await hostedDevices(home)).map(({ name }) => name)).toEqual(['cpu0']);
  });

  test('that cannot be read count as absent', async () => {
    const home: Home = { root: temporaryFolder() };
    mkdirSync(homePaths(home).workers, { recursive: true });
    for (const [name, text] of Object.entries({ a: '{"v":1', b: '{"v":2}', c: '' })) writeFileSync(recordPath(home, name), text);
    expect(await livingWorkers(home)).toEqual([]);
    expect(await readWorkerRecord(home, 'a')).toBeNull();
  });
});

describe('attachments', () => {
  test('of dead commands are removed, those of living ones stay', async () => {
    const home: Home = { root: temporaryFolder() };
    const { attached } = homePaths(home);
    mkdirSync(attached, { recursive: true });
    const living = { v: 1, identity: ownIdentity(), devices: [], queuePrefix: '' };
    writeFileSync(join(attached, '1.json'), JSON.stringify(living));
    writeFileSync(join(attached, '2.json'), JSON.stringify({ ...living, identity: await deadIdentity() }));
    writeFileSync(join(attached, '3.json'), 'rubbish');
    expect(await liveAttachments(home)).toEqual([living]);
    expect(readdirSync(attached)).toEqual(['1.json']);
  });

  test('of a home that nobody used are none, and nothing is made', async () => {
    const home: Home = { root: temporaryFolder() };
    expect(await liveAttachments(home)).toEqual([]);
    expect(existsSync(homePaths(home).state)).toBe(false);
  });
});

test('a problem keeps type, message and fix on its way through a record', () => {
  const failure = new PlatformFailure('NoDevice', 'cpu0 is held', 'end it');
  expect(toProblem(failure)).toEqual({ type: 'NoDevice', message: 'cpu0 is held', fix: 'end it' });
  expect(problemFailure(toProblem(failure), 'log')).toMatchObject({
    type: 'NoDevice',
    message: 'cpu0 is held\nlog',
    fix: 'end it',
  });
  expect(toProblem(new Error('no room'))).toMatchObject({ type: 'HostFailed', message: 'no room' });
});
