import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalPath } from '../../src/adapters/project.ts';
import { addressOf, serverArguments, type ServerPorts, webUiOf } from '../../src/adapters/temporal-server.ts';
import { NATIVE_LOG_FILTER } from '../../src/workers/native-log.ts';
import { prepareServer } from '../../src/workers/prepare-server.ts';

/**
 * The real Temporal server for a test file: its own process on free ports over a database file, so that a test
 * can kill it and start it again with all its history. Nothing of it is left after `close`.
 */
export interface TemporalServer {
  /** host:port of the front end; the same after a restart. */
  readonly address: string;
  readonly webUi: string;
  readonly namespace: string;
  /** Temporary folder of the database and the log; a test may keep its own files there. */
  readonly folder: string;
  /** Connected for the life of the server; connects again by itself after a restart. */
  readonly client: Client;
  /** A connection for one worker; each worker needs its own, as two on one are refused for one queue. */
  connectWorker(): Promise<NativeConnection>;
  /** SIGKILL, and waits until it is dead. */
  kill(): Promise<void>;
  /** Starts it again on the same ports and file, after `kill`. */
  start(): Promise<void>;
  /** Closes connections, ends the server and removes the folder. */
  close(): Promise<void>;
}

// Before anything else of the SDK is used in the process: workers in tests report problems, not their lives.
Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: NATIVE_LOG_FILTER } } });

const HOST = '127.0.0.1';
const START_LIMIT_MS = 60_000;

/** Starts a server that answers and knows the project's search attributes. */
export async function startTemporalServer(): Promise<TemporalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'scientist-server-'));
  const ports = await freePorts();
  const address = addressOf(ports);
  let server = await launchServer(folder, ports);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  await prepareServer(connection, 'default');
  const natives: NativeConnection[] = [];
  return {
    address,
    webUi: webUiOf(ports),
    namespace: 'default',
    folder,
    client,
    connectWorker: async () => {
      const native = await NativeConnection.connect({ address });
      natives.push(native);
      return native;
    },
    kill: () => server.end('SIGKILL'),
    start: async () => {
      server = await launchServer(folder, ports);
    },
    close: async () => {
      await Promise.allSettled([connection.close(), ...natives.map((native) => native.close())]);
      await server.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface RunningServer {
  end(signal: NodeJS.Signals): Promise<void>;
}

/** With the settings of the project's own server, only without its locks and its launcher. */
async function launchServer(folder: string, ports: ServerPorts): Promise<RunningServer> {
  const log = join(folder, 'server.log');
  const output = openSync(log, 'a');
  const args = [...serverArguments(join(folder, 'temporal.db'), ports), '--log-level', 'error'];
  const child = spawn(temporalPath(), args, { stdio: ['ignore', output, output] });
  closeSync(output);
  const running = endWithTest(child);
  await untilAnswering(child, { address: addressOf(ports), log });
  return running;
}

/** A server must not outlive the test process, however that ends short of SIGKILL. */
function endWithTest(child: ChildProcess): RunningServer {
  const dead = new Promise<void>((done) =>
    child.on('exit', () => {
      done();
    }),
  );
  const atExit = () => child.kill('SIGKILL');
  process.on('exit', atExit);
  return {
    end: async (signal) => {
      child.kill(signal);
      await dead;
      process.off('exit', atExit);
    },
  };
}

/** Resolves when the default namespace is served, which is the last thing to be there after a start. */
async function untilAnswering(child: ChildProcess, { address, log }: { address: string; log: string }): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (await answers(address)) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended at once: ${readFileSync(log, 'utf8')}`);
    if (Date.now() > deadline) throw new Error(`the server at ${address} does not answer: ${readFileSync(log, 'utf8')}`);
    await sleep(50);
  }
}

async function answers(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1_000 });
    try {
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

/** Two ports that are free now. Both are held until both are known, so that they differ. */
async function freePorts(): Promise<ServerPorts> {
  const servers = await Promise.all([listen(), listen()]);
  const ports = servers.map(({ port }) => port);
  await Promise.all(servers.map(({ server }) => new Promise((done) => server.close(done))));
  const [port = 0, uiPort = 0] = ports;
  return { port, uiPort };
}

function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  return new Promise((done, fail) => {
    server.on('error', fail);
    server.listen(0, HOST, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') fail(new Error('no port'));
      else done({ server, port: address.port });
    });
  });
}
