import { z } from 'zod';
import { DeviceName } from './ids.ts';

/**
 * Devices and their queues. A device is one GPU or one CPU slot; it has its own task queue and its own
 * worker process with one slot. Safety is physical (a lock on the host); placement is the allocator's.
 */

/** The kinds of device. */
export const DeviceKind = z.enum(['gpu', 'cpu']);
export type DeviceKind = z.infer<typeof DeviceKind>;

/** A device of a run. */
export const Device = z.strictObject({
  name: DeviceName,
  host: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,80}$/),
  kind: DeviceKind,
  /** The task queue of its worker; `${queue}.ctl` is the health queue. */
  queue: z.string().max(250),
  /** The vendor's uuid of a GPU; `null` for a CPU slot. */
  uuid: z.string().max(100).nullable(),
  /** Memory of a GPU, MiB; `null` where it is not known. */
  memoryMiB: z.number().int().min(0).nullable(),
});
export type Device = z.infer<typeof Device>;

/** The task queue of a device; `prefix` keeps test runs and checkouts apart. */
export function deviceQueue(prefix: string, host: string, name: string): string {
  return `${prefix}device.${host}.${name}`;
}

/** The health queue of a device: polled by the same process, even while the device is busy. */
export function healthQueue(queue: string): string {
  return `${queue}.ctl`;
}

/** The queues of a project beside its devices: workflows and short activities, and proposals. */
export function controlQueue(prefix: string): string {
  return `${prefix}research`;
}

/** The queue of the proposals worker, the only one that holds keys. */
export function proposalsQueue(prefix: string): string {
  return `${prefix}proposals`;
}

/**
 * Who gets which device. At most one evaluation of a run is outstanding per device, so runs that share
 * devices alternate on their queues. A device is known by its queue.
 */
export interface Allocator {
  /** All devices, lost ones among them. */
  devices(): readonly Device[];
  hasFree(): boolean;
  /** Whether there is a free device outside `avoid`; where that leaves no device at all, any free one counts. */
  canServe(avoid: ReadonlySet<string>): boolean;
  /**
   * Takes a free device, leaving out the queues in `avoid` as long as there is another, and of those the ones in
   * `ratherNot` as long as there is another; throws when none is free.
   */
  take(avoid: ReadonlySet<string>, ratherNot?: ReadonlySet<string>): Device;
  /** Gives a device back. */
  giveBack(device: Device): void;
  /** A lost device is not given out until it is back. */
  setLost(queue: string, isLost: boolean): void;
  /** A device that came later; one that is known already changes nothing. */
  add(device: Device): void;
}

/** The allocator over a list: the first free device in the order of the list, `most` of them taken at a time. */
export function newAllocator(given: readonly Device[], most = Infinity): Allocator {
  const devices = [...given];
  const busy = new Set<string>();
  const lost = new Set<string>();
  const usable = (): Device[] => devices.filter(({ queue }) => !lost.has(queue));
  const free = (): Device[] => (busy.size < most ? usable().filter(({ queue }) => !busy.has(queue)) : []);
  return {
    devices: () => devices,
    hasFree: () => free().length > 0,
    canServe(avoid) {
      const isHard = usable().some(({ queue }) => !avoid.has(queue));
      return free().some(({ queue }) => !isHard || !avoid.has(queue));
    },
    take(avoid, ratherNot = new Set()) {
      const good = free().filter(({ queue }) => !avoid.has(queue));
      const device = good.find(({ queue }) => !ratherNot.has(queue)) ?? good[0] ?? free()[0];
      if (device === undefined) throw new RangeError('no device is free');
      busy.add(device.queue);
      return device;
    },
    giveBack({ queue }) {
      busy.delete(queue);
    },
    setLost(queue, isLost) {
      if (isLost) lost.add(queue);
      else lost.delete(queue);
    },
    add(device) {
      if (!devices.some(({ queue }) => queue === device.queue)) devices.push(device);
    },
  };
}
