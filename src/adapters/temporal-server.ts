import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { access, constants, readFile } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import { orNull, writeFileAtomic } from './atomic-file.ts';
import { homePaths, type Home } from './layout.ts';
import { ProcessIdentity } from './process-identity.ts';
import { PACKAGE_ROOT, pythonPath, temporalPath } from './project.ts';

/**
 * The project's own Temporal server: one process on one database file, on loopback, with the Web UI.
 *
 * T1 At most one server ever runs on the file: it holds a lock that the kernel drops with it
 *    (python/exec_locked.py), and writes its own record before it starts.
 * T2 A database is only opened by the version that made it; nobody promises that another one can read it.
 */

/** `server.json`: the server that runs now, or ran last. */
export const ServerRecord = z.strictObject({
  v: z.literal(1),
  /** host:port of the front end. */
  address: z.string(),
  uiPort: z.number().int(),
  version: z.string(),
  identity: ProcessIdentity,
});
export type ServerRecord = z.infer<typeof ServerRecord>;

/** The ports of a server, on loopback. */
export interface ServerPorts {
  readonly port: number;
  readonly uiPort: number;
}

const HOST = '127.0.0.1';
const FIRST_PORT = 7233;
/** Distance of the Web UI's port, as the Temporal CLI has it. */
const UI_OFFSET = 1000;
const PORT_PAIRS = 100;

/** Measured: an activity in 16 ms instead of 79, a cancel in 0.1 s, strict priority on a queue. */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxPollRPS=1000',
  // A worker sends an update back with its answer, and no more than 2 MiB at once: a larger update, once let in, would hang its run.
  'history.maxInFlightUpdatePayloads=1048576',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.enableFairness=true',
  'frontend.WorkerCommandsEnabled=true',
  'system.enableCancelActivityWorkerCommand=true',
  'frontend.enableCancelWorkerPollsOnShutdown=true',
  'frontend.WorkflowPauseEnabled=true',
];

/**
 * The version of the server inside a `temporal` binary, such as `1.32.0`.
 *
 * @throws PlatformFailure `HostFailed` when the binary is missing or does not answer
 */
export async function serverVersion(binary: string): Promise<string> {
  try {
    await access(binary, constants.X_OK);
    const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: 30_000 });
    const version = /Server ([0-9][^\s,)]*)/.exec(stdout)?.[1];
    if (version !== undefined) return version;
  } catch (error) {
    throw new PlatformFailure('HostFailed', `The Temporal binary ${binary} cannot be run.`, 'Run: npm run setup', {
      cause: error,
    });
  }
  throw new PlatformFailure(
    'HostFailed',
    `${binary} --version names no server version.`,
    'Set SCIENTIST_TEMPORAL to a temporal binary.',
  );
}

/**
 * Refuses a database of another version; a new one is marked as this version's.
 *
 * @throws PlatformFailure `HostFailed` with both versions and the ways out
 */
export async function claimDatabase(home: Home, version: string): Promise<void> {
  const { database } = homePaths(home);
  const marker = `${database}.version`;
  const known = (await orNull(readFile(marker, 'utf8')))?.trim();
  const isThere = (await orNull(access(database).then(() => true))) ?? false;
  if (!isThere || known === undefined || known === '') return writeFileAtomic(marker, `${version}\n`);
  if (known === version) return;
  throw new PlatformFailure(
    'HostFailed',
    `${database} was made by Temporal server ${known}; this one is ${version}.`,
    `Use that version (SCIENTIST_TEMPORAL=/path/to/temporal), or start with an empty history: move ${database}* elsewhere. The folder runs/ stays as it is.`,
  );
}

/**
 * A free pair of ports: `preferred` where it is free, so that those who know the address find the server
 * again, else the first free pair from 7233/8233 on. A port that `mayUse` denies counts as taken.
 *
 * @throws PlatformFailure `HostFailed` when none of a hundred pairs is free
 */
export async function freePorts(
  preferred: ServerPorts | null,
  mayUse: MayUse = () => Promise.resolve(true),
): Promise<ServerPorts> {
  const pairs = Array.from({ length: PORT_PAIRS }, (_, i) => ({ port: FIRST_PORT + i, uiPort: FIRST_PORT + UI_OFFSET + i }));
  for (const pair of [...(preferred === null ? [] : [preferred]), ...pairs]) {
    if ((await mayUse(pair.port)) && (await areFree(pair))) return pair;
  }
  const last = FIRST_PORT + PORT_PAIRS - 1;
  throw new PlatformFailure(
    'HostFailed',
    `No two free ports from ${FIRST_PORT} to ${last}.`,
    'End what listens there, or set TEMPORAL_ADDRESS.',
  );
}

/** The ports of a recorded server. */
export function portsOf(record: Pick<ServerRecord, 'address' | 'uiPort'>): ServerPorts {
  return { port: Number(record.address.split(':').at(-1)), uiPort: record.uiPort };
}

/** The address of a server at these ports. */
export function addressOf(ports: ServerPorts): string {
  return `${HOST}:${ports.port}`;
}

/** The address of the Web UI of the project's own server. */
export function webUiOf(ports: Pick<ServerPorts, 'uiPort'>): string {
  return `http://${HOST}:${ports.uiPort}`;
}

/** Whether a port may be used, beside being free. */
export type MayUse = (port: number) => Promise<boolean>;

/** What a server is started with. */
export interface ServerStart {
  readonly ports: ServerPorts;
  readonly version: string;
  /** Without keys: the server needs none. */
  readonly env: NodeJS.ProcessEnv;
  /** File descriptor that its output goes to. */
  readonly log: number;
}

/**
 * Starts the server's process. It ends at once with exit code 75 when another one holds the database; ready
 * is when {@link isListening} says so.
 */
export function startServer(home: Home, { ports, version, env, log }: ServerStart): ChildProcess {
  const paths = homePaths(home);
  mkdirSync(paths.locks, { recursive: true });
  const record = { v: 1, address: addressOf(ports), uiPort: ports.uiPort, version };
  const launcher = [
    join(PACKAGE_ROOT, 'python', 'exec_locked.py'),
    join(paths.locks, 'server.flock'),
    paths.server,
    JSON.stringify(record),
  ];
  const command = [temporalPath(env), ...serverArguments(paths.database, ports)];
  return spawn(pythonPath(env), ['-I', ...launcher, ...command], {
    cwd: paths.state,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
}

/** The arguments of `temporal` for the server of a database. */
export function serverArguments(database: string, { port, uiPort }: ServerPorts): string[] {
  const place = ['--ip', HOST, '--port', String(port), '--ui-ip', HOST, '--ui-port', String(uiPort)];
  // WAL with FULL: every committed event survives a loss of power, at a fifth of the default's cost.
  const store = ['--db-filename', database, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'];
  return ['server', 'start-dev', ...place, ...store, ...DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value])];
}

/** Whether something accepts connections at `host:port`. */
export function isListening(address: string): Promise<boolean> {
  const [host = HOST, port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: 1000 });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => {
      done(true);
    });
    socket.once('error', () => {
      done(false);
    });
    socket.once('timeout', () => {
      done(false);
    });
  });
}

/** Whether nobody listens on either port. */
export async function areFree({ port, uiPort }: ServerPorts): Promise<boolean> {
  return (await isFree(port)) && (await isFree(uiPort));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host: HOST, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
