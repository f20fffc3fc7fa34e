import { join } from 'node:path';
import type { Device } from '../domain/device.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { hostLockPath, shareHostLock } from './host-locks.ts';
import { homePaths, type Home } from './layout.ts';
import { takeLock } from './process-lock.ts';

/**
 * One holder per device (P4). A GPU is one on the whole host, so its lock lies at a host-global path named
 * by its uuid; a CPU slot belongs to a project and its lock lies beside the project's database.
 */

/** Where a device's lock lies. */
export function deviceLockPath(home: Home, device: Pick<Device, 'kind' | 'name' | 'uuid'>): string {
  if (device.kind === 'cpu') return join(homePaths(home).locks, `${device.name}.lock`);
  return hostLockPath(device.uuid ?? device.name);
}

/**
 * Takes a device for this process, until `release` or its death. `who` tells others what this process is.
 *
 * @throws PlatformFailure `NoDevice` with the name of the holder when another process has it
 */
export async function takeDevice(home: Home, device: Device, who = 'device worker'): Promise<{ release(): Promise<void> }> {
  const path = deviceLockPath(home, device);
  if (device.kind === 'gpu') shareHostLock(path);
  const answer = await takeLock(path, `${who} of ${device.name}, project ${home.root}`);
  if (answer.held) return answer;
  const holder = answer.holder === null ? 'another process' : `process ${answer.holder.identity.pid} (${answer.holder.what})`;
  throw new PlatformFailure(
    'NoDevice',
    `${device.name} is held by ${holder}.`,
    `End that process, or leave ${device.name} out of devices.`,
  );
}
