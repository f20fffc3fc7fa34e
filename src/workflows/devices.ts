import { condition } from '@temporalio/workflow';
import { staticAllocator, type Device } from '../domain/device.ts';
import type { DeviceName } from '../domain/ids.ts';

/** The devices of a run as its stage uses them: who needs one waits in line until one is free. */
export interface DevicePool {
  /** Waits for a device, leaving out those in `avoid` as long as there is another; in order of asking. */
  take(avoid: ReadonlySet<DeviceName>): Promise<Device>;
  giveBack(device: Device): void;
  /** How many are waiting. */
  readonly waiting: number;
}

/** A pool over the run's fixed devices. A cancelled wait leaves the line. */
export function devicePool(devices: readonly Device[]): DevicePool {
  const allocator = staticAllocator(devices);
  const line: object[] = [];
  return {
    async take(avoid) {
      const ticket = {};
      line.push(ticket);
      try {
        await condition(() => line[0] === ticket && allocator.hasFree());
        return allocator.take(avoid);
      } finally {
        line.splice(line.indexOf(ticket), 1);
      }
    },
    giveBack: (device) => {
      allocator.giveBack(device);
    },
    get waiting() {
      return line.length;
    },
  };
}
