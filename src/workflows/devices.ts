import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { newAllocator, type Device } from '../domain/device.ts';
import type { LostDevice } from '../domain/watch.ts';

/** Why work was taken off a device. No failure: it does not count against the work. */
export type Interruption = 'device lost' | 'paused';

/**
 * Taking evaluations off their devices without ending them for good: each is given out anew, under its next
 * dispatch number and where there is room, and goes on from the checkpoint that its program left.
 *
 * I1 What is interrupted gives its device back only when nothing of it is alive, as for any cancellation.
 * I2 No interruption decides anything: results, and so the journal, are the same with and without (P2).
 */
export interface Interruptions {
  /** Whether evaluations are held back. */
  readonly isPaused: boolean;
  /** Ends every running evaluation at its checkpoint, frees the devices, and starts none until {@link unpause}. */
  pause(): void;
  /** Lets evaluations start again; what was interrupted waits in line like any other. */
  unpause(): void;
}

/** Which devices work should not go to, by queue. */
export interface DeviceWish {
  /** Not there as long as the run has another one. */
  readonly avoid: ReadonlySet<string>;
  /** Not there as long as another one is free. */
  readonly ratherNot: ReadonlySet<string>;
}

/** How work on a device went. */
export type Used<T> =
  | { readonly kind: 'done'; readonly device: Device; readonly value: T }
  | { readonly kind: 'interrupted'; readonly device: Device; readonly by: Interruption };

/** The devices of a run as its stage uses them: who needs one waits in line until one is free. */
export interface DevicePool {
  /** Whether devices are watched and tries counted here; not in an execution begun before 0.2.0. */
  readonly isWatched: boolean;
  /** Waits for a device, in order of asking. */
  take(avoid: ReadonlySet<string>, ratherNot?: ReadonlySet<string>): Promise<Device>;
  giveBack(device: Device): void;
  /** Waits for a device, works on it in a scope of its own, and gives it back. */
  use<T>(wish: DeviceWish, work: (device: Device) => Promise<T>): Promise<Used<T>>;
  readonly interruptions: Interruptions;
  /** How many are waiting. */
  readonly waiting: number;
  /** All devices, lost ones among them. */
  readonly devices: readonly Device[];
  /** The devices that are believed lost, by queue. */
  readonly lost: ReadonlyMap<string, LostDevice>;
  /** Takes work off a device that fell silent; it gets none until it is back. */
  lose(device: LostDevice): void;
  restore(queue: string): void;
  add(device: Device): void;
}

/** A place in the line. */
interface Ticket {
  readonly avoid: ReadonlySet<string>;
}

/** Work on a device. */
interface Use {
  readonly device: Device;
  readonly scope: CancellationScope;
  interruption: Interruption | null;
}

/** A pool over the run's devices, `most` of them in use at a time. A cancelled wait leaves the line. */
export function devicePool(
  devices: readonly Device[],
  { isWatched, most }: { readonly isWatched: boolean; readonly most: number },
): DevicePool {
  const allocator = newAllocator(devices, most);
  const line: Ticket[] = [];
  const uses = new Set<Use>();
  const lost = new Map<string, LostDevice>();
  const interruptions = newInterruptions(uses);
  /** The first in line that can be served is served. */
  const isTurn = (ticket: Ticket): boolean =>
    isWatched
      ? !interruptions.isPaused && line.find(({ avoid }) => allocator.canServe(avoid)) === ticket
      : line[0] === ticket && allocator.hasFree();
  const pool: DevicePool = {
    isWatched,
    interruptions,
    lost,
    devices: allocator.devices(),
    async take(avoid, ratherNot) {
      const ticket = { avoid };
      line.push(ticket);
      try {
        await condition(() => isTurn(ticket));
        return allocator.take(avoid, ratherNot);
      } finally {
        line.splice(line.indexOf(ticket), 1);
      }
    },
    giveBack: (device) => {
      allocator.giveBack(device);
    },
    use: (wish, work) => use({ pool, uses }, wish, work),
    get waiting() {
      return line.length;
    },
    lose(device) {
      lost.set(device.queue, device);
      allocator.setLost(device.queue, true);
      for (const used of uses) if (used.device.queue === device.queue) interrupt(used, 'device lost');
    },
    restore(queue) {
      lost.delete(queue);
      allocator.setLost(queue, false);
    },
    add: (device) => {
      allocator.add(device);
    },
  };
  return pool;
}

function newInterruptions(uses: ReadonlySet<Use>): Interruptions {
  let isPaused = false;
  return {
    get isPaused() {
      return isPaused;
    },
    pause() {
      isPaused = true;
      for (const used of uses) interrupt(used, 'paused');
    },
    unpause() {
      isPaused = false;
    },
  };
}

function interrupt(used: Use, by: Interruption): void {
  used.interruption ??= by;
  used.scope.cancel();
}

/** A cancellation from outside goes on as one; only our own is an interruption. */
async function use<T>(
  { pool, uses }: { pool: DevicePool; uses: Set<Use> },
  { avoid, ratherNot }: DeviceWish,
  work: (device: Device) => Promise<T>,
): Promise<Used<T>> {
  const device = await pool.take(avoid, ratherNot);
  const used: Use = { device, scope: new CancellationScope(), interruption: null };
  uses.add(used);
  try {
    return { kind: 'done', device, value: await used.scope.run(() => work(device)) };
  } catch (error) {
    if (used.interruption === null || !isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    return { kind: 'interrupted', device, by: used.interruption };
  } finally {
    uses.delete(used);
    pool.giveBack(device);
  }
}
