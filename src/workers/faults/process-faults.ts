import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../../adapters/process-lock.ts';
import { lockPath } from '../records.ts';
import { PHASES, type Blow, type Fault, type Phase, type Target } from './fault.ts';
import * as victims from './victims.ts';
import type { OpenAttempt, Victim } from './victims.ts';

/** The faults that are done to processes. Another kind of fault is another entry of such a table. */

/** While nothing runs on a device there is no program to hit. */
const WHILE_RUNNING: readonly Phase[] = ['running'];
/** Between two tries to be faster than the worker that the supervisor starts. */
const GONE_POLL_MS = 10;

const EVERYWHERE = { phases: PHASES, changesResults: false } as const;

/** SIGKILL to everything that a run needs, but not to the commands that people started. */
const SERVICES: readonly ((target: Target) => Promise<Victim[]>)[] = [
  victims.supervisorOf,
  victims.serverOf,
  (target) => victims.workersOf(target, ['control', 'proposals', 'device']),
  async (target) => (await victims.openAttempts(target)).flatMap(({ shim, program }) => [...shim, ...program]),
];

/** Every fault that is done to processes, by name. */
export const PROCESS_FAULTS: readonly Fault[] = [
  killing('supervisor', 'SIGKILL of the supervisor', [victims.supervisorOf]),
  killing('server', 'SIGKILL of the Temporal server; it starts again on the same database', [victims.serverOf]),
  killing('control_worker', 'SIGKILL of the worker that runs workflows and keeps files', [kindOf('control')]),
  killing('proposals_worker', 'SIGKILL of the worker that makes proposals', [kindOf('proposals')]),
  killing('device_worker', 'SIGKILL of the worker of a device; its training goes on', [busyWorker]),
  killing('device', 'SIGKILL of the worker of a device and of the shim that leads its training', [busyWorker, shims]),
  killing('all_workers', 'SIGKILL of every worker at once', [
    (target) => victims.workersOf(target, ['control', 'proposals', 'device']),
  ]),
  killing('services', 'SIGKILL of supervisor, server, workers and trainings at once', SERVICES),
  killing('everything', 'the same, and of the commands that follow the run', [victims.commandsOf, ...SERVICES]),
  { ...killing('shim', 'SIGKILL of the shim that leads a training', [shims]), phases: WHILE_RUNNING },
  {
    ...killing('program', 'SIGKILL of a training: its result is that it was killed', [programs]),
    phases: WHILE_RUNNING,
    changesResults: true,
  },
  { ...killing('grandchild', 'SIGKILL of a process that a training started', [grandchildren]), phases: WHILE_RUNNING },
  stopping('stopped_device_worker', 'SIGSTOP of the worker of a device, later SIGCONT', busyWorker),
  { ...stopping('stopped_program', 'SIGSTOP of a training, later SIGCONT', programs), phases: WHILE_RUNNING },
  { ...stopping('stopped_shim', 'SIGSTOP of the shim that leads a training, later SIGCONT', shims), phases: WHILE_RUNNING },
  stopping('stopped_control_worker', 'SIGSTOP of the control worker, later SIGCONT', kindOf('control')),
  {
    name: 'gone_device',
    about: 'SIGKILL of the worker of a device, which does not come back until this is over',
    ...EVERYWHERE,
    strike: takeDeviceAway,
  },
];

type Choose = (target: Target) => Promise<Victim[]>;

function killing(name: string, about: string, choose: readonly Choose[]): Fault {
  return {
    name,
    about,
    ...EVERYWHERE,
    async strike(target) {
      const found = (await Promise.all(choose.map((one) => one(target)))).flat();
      const hits = victims.signalAll(found, 'SIGKILL');
      return hits.length === 0 ? null : { hits, release: null };
    },
  };
}

function stopping(name: string, about: string, choose: Choose): Fault {
  return {
    name,
    about,
    ...EVERYWHERE,
    async strike(target) {
      const found = await choose(target);
      const hits = victims.signalAll(found, 'SIGSTOP');
      if (hits.length === 0) return null;
      return { hits, release: () => Promise.resolve(void victims.signalAll(found, 'SIGCONT')) };
    },
  };
}

function kindOf(kind: 'control' | 'proposals'): Choose {
  return (target) => victims.workersOf(target, [kind]);
}

/** The worker of the device whose training runs longest, else that of the first device. */
async function busyWorker(target: Target): Promise<Victim[]> {
  const workers = await victims.workersOf(target, ['device']);
  const [busy] = await victims.openAttempts(target);
  const chosen = workers.find(({ what }) => what.split('.')[0] === `device-${busy?.attempt.device ?? ''}`) ?? workers[0];
  return chosen === undefined ? [] : [chosen];
}

async function shims(target: Target): Promise<Victim[]> {
  return (await oldest(target))?.shim.slice() ?? [];
}

async function programs(target: Target): Promise<Victim[]> {
  return (await oldest(target))?.program.slice() ?? [];
}

async function grandchildren(target: Target): Promise<Victim[]> {
  return (
    (await victims.openAttempts(target)).find((attempt) => attempt.grandchildren.length > 0)?.grandchildren.slice(0, 1) ?? []
  );
}

async function oldest(target: Target): Promise<OpenAttempt | undefined> {
  return (await victims.openAttempts(target))[0];
}

/** Kills a device's worker and holds the lock of its role, so that each one that is started for it is refused. */
async function takeDeviceAway(target: Target): Promise<Blow | null> {
  const [worker] = await busyWorker(target);
  if (worker === undefined) return null;
  for (;;) {
    const living = await victims.workersOf(target, ['device']);
    victims.signalAll(
      living.filter(({ what }) => what === worker.what),
      'SIGKILL',
    );
    const lock = await takeLock(lockPath(target.home, worker.what), 'a fault: this device is away');
    if (lock.held) return { hits: [`away: ${worker.what} (${worker.identity.pid})`], release: () => lock.release() };
    await sleep(GONE_POLL_MS);
  }
}
