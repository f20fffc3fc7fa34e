import type { Device } from '../domain/device.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { rerunOf } from '../domain/ids.ts';
import { openAttempts } from '../domain/ledger.ts';
import { takeDevice } from './device-lock.ts';
import type { Home } from './layout.ts';
import { readLedger } from './ledger.ts';
import { sweepLeftovers } from './leftovers.ts';

/** A device that this process holds until `release`. */
export interface HeldDevice {
  readonly device: Device;
  release(): Promise<void>;
}

/**
 * Takes the first of some devices that nobody holds and on which nothing is left running. A training that its
 * killed worker left is for the next worker to adopt, so such a device counts as in use; what a killed rerun
 * left is ended here.
 *
 * @param who what this process is, for whoever finds the device taken
 * @throws PlatformFailure `NoDevice` that says who has each of them
 */
export async function takeFreeDevice(home: Home, devices: readonly Device[], who: string): Promise<HeldDevice> {
  const inUse: string[] = [];
  for (const device of devices) {
    const lock = await takeDevice(home, device, who).catch((error: unknown) => {
      if (!(error instanceof PlatformFailure) || error.type !== 'NoDevice') throw error;
      inUse.push(error.message);
      return null;
    });
    if (lock === null) continue;
    const left = await leftBehind(home, device);
    if (left === null) {
      await sweepLeftovers(home, device.name);
      return { device, release: () => lock.release() };
    }
    inUse.push(left);
    await lock.release();
  }
  throw new PlatformFailure(
    'NoDevice',
    devices.length === 0 ? 'This machine has no device of the kind that the run used.' : `No device is free: ${inUse.join(' ')}`,
    devices.length === 0
      ? 'See what there is with: scientist devices'
      : 'Wait until a run on one of them has ended, or end what hosts it (Ctrl-C in the terminal of scientist up or run).',
  );
}

/** What a run's killed worker left on a device, in words; `null` when there is no such thing. */
async function leftBehind(home: Home, device: Device): Promise<string | null> {
  const { lines } = await readLedger(home, device.name);
  const open = openAttempts(lines).find(({ run }) => rerunOf(run) === null);
  return open === undefined ? null : `${device.name} has an evaluation of run ${open.run} that its next worker will settle.`;
}
