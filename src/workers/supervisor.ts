import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { writeJsonAtomic } from '../adapters/atomic-file.ts';
import { homePaths, type Home } from '../adapters/layout.ts';
import { isAlive, ownIdentity } from '../adapters/process-identity.ts';
import { takeLock } from '../adapters/process-lock.ts';
import { projectHome } from '../adapters/project.ts';
import { embeddedServer } from './embedded-server.ts';
import { launchWorker } from './launch.ts';
import { openLog, type RoleLog } from './log.ts';
import * as records from './records.ts';
import type { AttachRecord, ServerAddress, SupervisorRecord, WorkerOrder } from './records.ts';
import { endProcess, superviseService, type Service, type ServiceSpec } from './service.ts';

/**
 * The supervisor: one process per home that keeps alive what the attached commands want (the server, the
 * control and proposals workers, one worker per device) and, when the last of them is gone, stops it all.
 *
 * S1 Only one per home: it holds a lock. S2 It knows nothing that is not on disk, so it may be killed at any
 * moment: the next one takes over what still runs. S3 It signals only processes that this project started.
 */

/** How often it looks; a process that it started wakes it at once when it ends. */
const TICK_MS = 500;
/** How long it goes on without an attached command, so that one command can follow another. */
const IDLE_MS = 1500;
/** A device worker gives its experiment the time to end; see device-worker.ts. */
const WORKER_STOP_MS = 25_000;

await main();

async function main(): Promise<void> {
  const home = projectHome();
  const log = openLog(home, records.SUPERVISOR);
  const outside = records.ServerAddress.nullable().parse(JSON.parse(process.argv[2] ?? 'null'));
  const lock = await takeLock(records.lockPath(home, records.SUPERVISOR), records.SUPERVISOR);
  if (!lock.held) process.exit(0);
  const stop = new AbortController();
  process.on('SIGTERM', () => {
    stop.abort();
  });
  log.info(`started as process ${process.pid}`);
  const stopBeating = records.beatOn(home, records.SUPERVISOR);
  await supervise({ home, log, outside, stop: stop.signal });
  stopBeating();
  await lock.release();
  log.info('stopped');
  process.exit(0);
}

interface Supervision {
  readonly home: Home;
  readonly log: RoleLog;
  readonly outside: ServerAddress | null;
  readonly stop: AbortSignal;
}

async function supervise({ home, log, outside, stop }: Supervision): Promise<void> {
  const alarm = newAlarm();
  stop.addEventListener('abort', alarm.ring);
  const embedded = outside === null ? embeddedServer(home) : null;
  const server = embedded === null ? null : superviseService(embedded.spec, log, alarm.ring);
  const workers = new Map<string, Service>();
  const publish = newPublisher(home);
  let wantedAt = performance.now();
  let address: ServerAddress | null = outside;
  while (!stop.aborted) {
    const now = performance.now();
    const attached = await records.liveAttachments(home);
    if (attached.length > 0) wantedAt = now;
    else if (now - wantedAt >= IDLE_MS) break;
    if (attached.length > 0) {
      await server?.tend(now);
      address = embedded?.address() ?? outside;
      if (address !== null) await tendWorkers({ home, log, wake: alarm.ring, workers }, wantedOrders(attached, address), now);
    }
    await publish({ state: 'running', server: address, services: views(server, workers) });
    await alarm.wait(TICK_MS);
  }
  await publish({ state: 'stopping', server: address, services: views(server, workers) });
  await stopEverything(home, [...workers.values()], server);
}

/** What the attached commands want served, each once. */
function wantedOrders(attached: readonly AttachRecord[], server: ServerAddress): WorkerOrder[] {
  return attached.flatMap(({ devices, queuePrefix }) => [
    { kind: 'control', server, queuePrefix, device: null } as const,
    { kind: 'proposals', server, queuePrefix, device: null } as const,
    ...devices.map((device) => ({ kind: 'device', server, queuePrefix, device }) as const),
  ]);
}

interface WorkerTending {
  readonly home: Home;
  readonly log: RoleLog;
  readonly wake: () => void;
  readonly workers: Map<string, Service>;
}

async function tendWorkers(
  { home, log, wake, workers }: WorkerTending,
  wanted: readonly WorkerOrder[],
  now: number,
): Promise<void> {
  for (const order of wanted) {
    const role = records.roleOf(order);
    if (!workers.has(role)) workers.set(role, superviseService(workerSpec(home, order), log, wake));
  }
  await Promise.all([...workers.values()].map((worker) => worker.tend(now)));
}

function workerSpec(home: Home, order: WorkerOrder): ServiceSpec {
  const role = records.roleOf(order);
  return {
    role,
    stopMs: WORKER_STOP_MS,
    start: () => Promise.resolve(launchWorker(home, order)),
    sign: (identity) => records.signOf(home, role, identity),
    problem: async () => (await records.readWorkerRecord(home, role))?.problem ?? null,
    async find() {
      const record = await records.readWorkerRecord(home, role);
      if (record === null || !isAlive(record.identity)) return null;
      if (isDeepStrictEqual(record.order, order)) return record.identity;
      // Left from a server at another address: it would wait there for ever.
      await endProcess(record.identity, WORKER_STOP_MS);
      return null;
    },
  };
}

/** Workers first, so that what they still say reaches the server; then the server. */
async function stopEverything(home: Home, workers: readonly Service[], server: Service | null): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
  const left = await records.livingWorkers(home);
  await Promise.all(left.map(({ identity }) => endProcess(identity, WORKER_STOP_MS)));
  await server?.stop();
  await rm(homePaths(home).workers, { recursive: true, force: true });
}

function views(server: Service | null, workers: ReadonlyMap<string, Service>): records.ServiceView[] {
  return [...(server === null ? [] : [server]), ...workers.values()].map((service) => service.view());
}

/** Writes the supervisor's record when something in it has changed. */
function newPublisher(home: Home): (record: Omit<SupervisorRecord, 'v' | 'identity'>) => Promise<void> {
  const identity = ownIdentity();
  let last: unknown = null;
  return async (part) => {
    const record: SupervisorRecord = { v: 1, identity, ...part };
    if (isDeepStrictEqual(record, last)) return;
    await writeJsonAtomic(records.recordPath(home, records.SUPERVISOR), record);
    last = record;
  };
}

/** A sleep that can be cut short. */
function newAlarm(): { ring: () => void; wait: (ms: number) => Promise<void> } {
  let isRung = false;
  let wake = (): void => undefined;
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          isRung = false;
          resolve();
        };
        const timer = setTimeout(end, ms);
        wake = end;
        if (isRung) end();
      }),
  };
}
