import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deviceLockPath, takeDevice } from '../../../src/adapters/device-lock.ts';
import type { Device } from '../../../src/domain/device.ts';
import { DeviceName } from '../../../src/domain/ids.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { containing } from '../../support/matchers.ts';

const cpu: Device = {
  name: DeviceName.parse('cpu0'),
  host: 'lab',
  kind: 'cpu',
  queue: 'device.lab.cpu0',
  uuid: null,
  memoryMiB: null,
};
const uuid = `GPU-${process.pid}-unit-test/../x`;
const gpu: Device = { ...cpu, name: DeviceName.parse('gpu-1'), kind: 'gpu', uuid };

test('a CPU slot is locked beside the database of its project, so two projects have a slot each', async () => {
  const [one, two] = [{ root: temporaryFolder() }, { root: temporaryFolder() }];
  expect(deviceLockPath(one, cpu)).toBe(join(one.root, '.scientist', 'locks', 'cpu0.lock'));
  const locks = [await takeDevice(one, cpu), await takeDevice(two, cpu)];
  await expect(takeDevice(one, cpu)).rejects.toMatchObject({
    type: 'NoDevice',
    message: containing(`process ${process.pid}`),
  });
  await Promise.all(locks.map((lock) => lock.release()));
});

test('a GPU is locked by its uuid for the whole host, whatever the project, and named as its holder', async () => {
  const [one, two] = [{ root: temporaryFolder() }, { root: temporaryFolder() }];
  const path = deviceLockPath(one, gpu);
  onTestFinished(() => {
    rmSync(path, { force: true });
  });
  expect(deviceLockPath(two, gpu)).toBe(path);
  const lock = await takeDevice(one, gpu);
  await expect(takeDevice(two, gpu)).rejects.toMatchObject({
    type: 'NoDevice',
    message: containing(one.root),
    fix: containing('leave gpu-1 out'),
  });
  await lock.release();
  await (await takeDevice(two, gpu)).release();
});

test('the lock of a GPU can be opened by every user of the host, and its name leaves the folder never', async () => {
  const path = deviceLockPath({ root: '/x' }, gpu);
  onTestFinished(() => {
    rmSync(path, { force: true });
  });
  await (await takeDevice({ root: temporaryFolder() }, gpu)).release();
  expect(statSync(path).mode & 0o777).toBe(0o666);
  expect(statSync(join(path, '..')).mode & 0o1777).toBe(0o777);
  expect(join(path, '..')).toMatch(/durable-scientist-locks$/);
});
