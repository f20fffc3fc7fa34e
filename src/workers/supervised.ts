import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../adapters/layout.ts';
import { isAlive, signalProcess } from '../adapters/process-identity.ts';
import { afterLook, type Silence } from '../domain/silence.ts';
import { launchSupervisor } from './launch.ts';
import { livingSupervisor, signOf, SUPERVISOR, type ServerAddress } from './records.ts';
import { isFrozen } from './service.ts';

/** The attached command's side of supervision: there is always a supervisor while somebody is attached. */

/** Keeps a supervisor alive. */
export interface SupervisorKeeper {
  /** Looks once, and starts one when there is none. */
  look(): Promise<void>;
  /** How often one that was started here ended by a fault. */
  faults(): number;
  /** Ends the watching; the supervisor goes on. */
  stop(): void;
}

const LOOK_MS = 1000;
/** A supervisor that was started must have written its record by then. */
const START_MS = 10_000;
/** Workers get 25 s and the server 10 s to end. */
const STOPPED_MS = 45_000;

/** Starts a supervisor when there is none, and kills one that is frozen, now and about once a second from then on. */
export function keepSupervised(home: Home, outside: ServerAddress | null): SupervisorKeeper {
  let startedAt: number | null = null;
  let silence: Silence | undefined;
  let faults = 0;
  const look = async (): Promise<void> => {
    const supervisor = await livingSupervisor(home);
    if (supervisor !== null) {
      startedAt = null;
      const sign = await signOf(home, SUPERVISOR, supervisor.identity);
      silence = afterLook(silence, { sign, now: performance.now(), maxStepMs: 2 * LOOK_MS });
      if (isFrozen(silence)) signalProcess(supervisor.identity, 'SIGKILL');
      return;
    }
    silence = undefined;
    if (startedAt !== null && performance.now() - startedAt < START_MS) return;
    startedAt = performance.now();
    const child = launchSupervisor(home, outside);
    child.on('error', () => (faults += 1));
    child.on('exit', (code) => {
      startedAt = null;
      if (code !== 0) faults += 1;
    });
  };
  const timer = setInterval(() => void look().catch(() => (faults += 1)), LOOK_MS).unref();
  return {
    look,
    faults: () => faults,
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** Returns when the supervisor has stopped everything and is gone itself, or after 45 s. */
export async function stoppedBySupervisor(home: Home): Promise<void> {
  const end = performance.now() + STOPPED_MS;
  // Its record goes with those of the workers, a moment before the process does.
  const supervisor = await livingSupervisor(home);
  while (performance.now() < end && supervisor !== null && isAlive(supervisor.identity)) await sleep(50);
}
