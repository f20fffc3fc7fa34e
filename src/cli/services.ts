import type { Home } from '../adapters/layout.ts';
import type { Device } from '../domain/device.ts';
import { connectClient } from '../workers/client.ts';
import { attach, attachedServices, type Attachment, type ServerAddress } from '../workers/hosting.ts';
import { EXIT } from './exit-codes.ts';
import { CliFailure } from './failure-text.ts';
import type { Io } from './io.ts';
import { runClient, type RunClient } from './run-client.ts';

/** The services of the project as a command uses them. */
export interface Services {
  readonly server: ServerAddress;
  readonly devices: readonly Device[];
  readonly runs: RunClient;
  /** Lets go of them; the last command out stops what the project started. */
  close(): Promise<void>;
}

/** Prefix of the queue names, which keeps tests and checkouts on one server apart; empty by default. */
export function queuePrefixOf(env: NodeJS.ProcessEnv): string {
  return env['SCIENTIST_QUEUE_PREFIX'] ?? '';
}

/** What a command wants to be there. */
export interface WantedServices {
  readonly devices: readonly Device[];
  readonly queuePrefix: string;
  /** A wish to end the command; starting goes on to its end all the same, which is said. */
  readonly signal: AbortSignal;
}

/** Starts what is missing, and holds it until it is closed. */
export async function startServices(io: Io, { devices, queuePrefix, signal }: WantedServices): Promise<Services> {
  const attachment = await attached(io, { devices, queuePrefix, signal });
  try {
    const client = await connectClient(attachment.server);
    const close = async (): Promise<void> => {
      await client.connection.close();
      await attachment.detach();
    };
    return { server: attachment.server, devices: attachment.devices, runs: runClient(client), close };
  } catch (error) {
    await attachment.detach();
    throw error;
  }
}

async function attached(io: Io, { devices, queuePrefix, signal }: WantedServices): Promise<Attachment> {
  const sayLater = (): void => {
    io.err('stopping as soon as the services are up; Ctrl-C again ends at once');
  };
  signal.addEventListener('abort', sayLater);
  try {
    return await attach({ home: io.home, devices, queuePrefix, notify: io.err });
  } finally {
    signal.removeEventListener('abort', sayLater);
  }
}

/** The server of the project when one runs, or the outside one that the environment names; `null` otherwise. */
export async function findServer(home: Home): Promise<ServerAddress | null> {
  return (await attachedServices(home))?.server ?? null;
}

/** Uses a server that runs, starting and holding nothing. A server that does not answer counts as none. */
export async function withRunningServices<T>(io: Io, use: (services: Services | null) => Promise<T>): Promise<T> {
  const services = await runningServices(io.home).catch(() => null);
  try {
    return await use(services);
  } finally {
    await services?.close();
  }
}

/** The services when they run; otherwise exit code 3 with what to do. */
export async function requireServices(io: Io, fix: string): Promise<Services> {
  const services = await runningServices(io.home);
  if (services === null) throw new CliFailure(EXIT.environment, 'no server of this project runs', fix);
  return services;
}

async function runningServices(home: Home): Promise<Services | null> {
  const running = await attachedServices(home);
  if (running === null) return null;
  const client = await connectClient(running.server);
  return { server: running.server, devices: running.devices, runs: runClient(client), close: () => client.connection.close() };
}
