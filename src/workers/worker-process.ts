import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { Home } from '../adapters/layout.ts';
import { isAlive, ownIdentity } from '../adapters/process-identity.ts';
import { takeLock } from '../adapters/process-lock.ts';
import { projectHome } from '../adapters/project.ts';
import { messageOf, PlatformFailure } from '../domain/failure.ts';
import { connectionOptions } from './connect.ts';
import { launchSupervisor } from './launch.ts';
import { openLog, type RoleLog } from './log.ts';
import { NATIVE_LOG_FILTER } from './native-log.ts';
import {
  beatOn,
  livingSupervisor,
  lockPath,
  readWorkerRecord,
  roleOf,
  toProblem,
  WorkerOrder,
  writeWorkerRecord,
} from './records.ts';
import type { ServerAddress, WorkerRecord } from './records.ts';

/**
 * What every worker process does around its workers: take the lock of its role, write its record, wait for
 * the server, say when it is ready, end in order on SIGTERM, and call a supervisor when there is none.
 */

/** What a worker process has at hand. */
export interface WorkerContext {
  readonly home: Home;
  readonly order: WorkerOrder;
  readonly log: RoleLog;
  /** A connection of its own per worker: two workers of one process must not share one. */
  readonly connect: () => Promise<NativeConnection>;
  /** Aborted when the process is told to end. */
  readonly stop: AbortSignal;
}

/** What a process runs: a Temporal worker, with what it does before it polls. */
export interface Part {
  /** Returns when it was shut down. */
  run(): Promise<void>;
  shutdown(): void;
}

/** Makes the parts of a process; they are run, and shut down together. */
export type MakeParts = (context: WorkerContext) => Promise<Part[]>;

/** A worker that polls at once. */
export function pollingPart(worker: Worker): Part {
  return {
    run: () => worker.run(),
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** Exit code of a worker whose role or device is held by another process. */
const EXIT_HELD = 75;
const RETRY_MS = 200;
/** Tries of a connection between two lines in the log, about 5 s. */
const SAY_EVERY = 25;
/** How often a worker looks for a supervisor, and how long it must have been missing. */
const ORPHAN_CHECK_MS = 3000;

/** Runs a worker process to its end and sets its exit code; the order is its first argument. */
export async function runWorkerProcess(make: MakeParts): Promise<void> {
  const home = projectHome();
  const order = WorkerOrder.parse(JSON.parse(process.argv[2] ?? 'null'));
  const log = openLog(home, roleOf(order));
  const record: WorkerRecord = { v: 1, role: roleOf(order), order, identity: ownIdentity(), state: 'starting', problem: null };
  try {
    await holdRole(home, record.role);
    await writeWorkerRecord(home, record);
    await work({ home, order, log, record, make });
    process.exit(0);
  } catch (error) {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    await writeProblem(home, record, error);
    process.exit(error instanceof PlatformFailure && error.type === 'NoDevice' ? EXIT_HELD : 1);
  }
}

interface Work extends Pick<WorkerContext, 'home' | 'order' | 'log'> {
  readonly record: WorkerRecord;
  readonly make: MakeParts;
}

async function work({ home, order, log, record, make }: Work): Promise<void> {
  installRuntime(log);
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  const orphanWatch = watchForSupervisor({ home, order, log, record, end: () => stop.abort() });
  const stopBeating = beatOn(home, record.role);
  try {
    const connect = () => connectWorker(order.server, stop.signal, log);
    const parts = await make({ home, order, log, connect, stop: stop.signal });
    const shutDown = () => {
      for (const part of parts) part.shutdown();
    };
    stop.signal.addEventListener('abort', shutDown);
    // One that ends, for whatever reason, takes the others with it: half a worker would look healthy.
    const runs = parts.map((part) => part.run().finally(shutDown));
    await writeWorkerRecord(home, { ...record, state: 'ready' });
    log.info('ready');
    if (stop.signal.aborted) shutDown();
    await Promise.all(runs);
    log.info('stopped');
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearInterval(orphanWatch);
    stopBeating();
  }
}

/** Our own signal handling: Temporal's would swallow a SIGTERM that comes before the first worker runs. */
function installRuntime(log: RoleLog): void {
  const logger = new DefaultLogger('INFO', ({ level, message, meta }) => {
    const text = `${message}${meta === undefined || Object.keys(meta).length === 0 ? '' : ` ${toText(meta)}`}`;
    if (level === 'ERROR') log.error(text);
    else if (level === 'WARN') log.warn(text);
    else log.info(text);
  });
  Runtime.install({
    logger,
    shutdownSignals: [],
    workerHeartbeatInterval: '10s',
    telemetryOptions: { logging: { forward: {}, filter: NATIVE_LOG_FILTER } },
  });
}

function toText(meta: unknown): string {
  return JSON.stringify(meta, (_, value: unknown) => {
    if (value instanceof Error) return value.stack ?? value.message;
    return typeof value === 'bigint' ? value.toString() : value;
  });
}

/** Returns when the namespace answers, the last thing to be there after a server's start; a first connect does not retry by itself. */
async function connectWorker(server: ServerAddress, signal: AbortSignal, log: RoleLog): Promise<NativeConnection> {
  for (let tries = 1; ; tries++) {
    try {
      return await connectOnce(server);
    } catch (error) {
      if (tries % SAY_EVERY === 0) log.warn(`${server.address} does not answer yet: ${messageOf(error)}`);
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

async function connectOnce(server: ServerAddress): Promise<NativeConnection> {
  const connection = await NativeConnection.connect(connectionOptions(server));
  try {
    await connection.workflowService.describeNamespace({ namespace: server.namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** One process per role and home, whoever started it. */
async function holdRole(home: Home, role: string): Promise<void> {
  const answer = await takeLock(lockPath(home, role), role);
  if (answer.held) return;
  throw new PlatformFailure(
    'NoDevice',
    `${role} is already served by process ${answer.holder?.identity.pid ?? 'unknown'}.`,
    'Nothing: it is kept.',
  );
}

interface OrphanWatch extends Pick<Work, 'home' | 'order' | 'log' | 'record'> {
  readonly end: () => void;
}

/**
 * A worker whose supervisor and commands were all killed starts a supervisor, which goes on or cleans up. One
 * whose record is gone, with the folder of its project, ends: nobody would ever find it.
 */
function watchForSupervisor({ home, order, log, record, end }: OrphanWatch): NodeJS.Timeout {
  let missed = 0;
  const look = async () => {
    missed = (await livingSupervisor(home)) === null ? missed + 1 : 0;
    if (missed < 2) return;
    if ((await readWorkerRecord(home, record.role))?.identity.pid !== process.pid) {
      end();
      return;
    }
    log.warn('there is no supervisor: starting one');
    missed = 0;
    launchSupervisor(home, order.server.embedded ? null : order.server);
  };
  return setInterval(() => void look().catch((error: unknown) => log.error(String(error))), ORPHAN_CHECK_MS).unref();
}

/** Leaves the reason where the supervisor finds it, unless the record is that of the living holder. */
async function writeProblem(home: Home, record: WorkerRecord, error: unknown): Promise<void> {
  const there = await readWorkerRecord(home, record.role);
  const isHolders = there !== null && there.identity.pid !== process.pid && isAlive(there.identity);
  if (!isHolders) await writeWorkerRecord(home, { ...record, state: 'failed', problem: toProblem(error) });
}
