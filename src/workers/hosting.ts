import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '../adapters/atomic-file.ts';
import { homePaths, type Home } from '../adapters/layout.ts';
import { ownIdentity } from '../adapters/process-identity.ts';
import { pythonPath, temporalPath } from '../adapters/project.ts';
import { addressOf, claimDatabase, portsOf, serverVersion, webUiOf } from '../adapters/temporal-server.ts';
import type { Device } from '../domain/device.ts';
import { messageOf, PlatformFailure } from '../domain/failure.ts';
import { outsideServer } from './connect.ts';
import { hostedDevices, liveAttachments, livingServer, type AttachRecord, type ServerAddress } from './records.ts';
import { keepSupervised, stoppedBySupervisor } from './supervised.ts';
import { waitForServices } from './wait-for-services.ts';

/**
 * Holding the project's services: the server and the workers run as long as one attached command lives. A
 * command says in a file that it is there and what it wants; the supervisor does the rest.
 */

export type { ServerAddress } from './records.ts';

/** What a command needs while it is attached to the project's services. */
export interface AttachOptions {
  readonly home: Home;
  /** Devices whose workers must run; those already hosted stay. */
  readonly devices: readonly Device[];
  /** Prefix of the queue names. */
  readonly queuePrefix: string;
  /** Told what is being started, one line each. */
  readonly notify: (line: string) => void;
}

/** A hold on the project's services; they run as long as one command holds them. */
export interface Attachment {
  readonly server: ServerAddress;
  /** Every device that is hosted now. */
  readonly devices: readonly Device[];
  /** Lets go; the last one out stops what the project started, and returns when it is stopped. */
  detach(): Promise<void>;
}

/** What runs now. */
export interface AttachedServices {
  readonly server: ServerAddress;
  /** Devices whose workers poll, by name. */
  readonly devices: readonly Device[];
  /** Attached commands that are alive; without one the services are about to stop. */
  readonly holders: number;
}

/**
 * Attaches this process: starts what is missing of the server and the workers and returns when all of them
 * are ready. While attached, a supervisor that dies is replaced.
 *
 * @throws PlatformFailure what could not be started, why, and what to do; nothing is left attached
 */
export async function attach(options: AttachOptions): Promise<Attachment> {
  const { home, queuePrefix, notify } = options;
  const outside = outsideServer();
  await checkHost(home, outside);
  const path = join(homePaths(home).attached, `${process.pid}-${randomUUID().slice(0, 8)}.json`);
  const record: AttachRecord = { v: 1, identity: ownIdentity(), devices: [...options.devices], queuePrefix };
  await writeJsonAtomic(path, record);
  const keeper = keepSupervised(home, outside);
  const detach = async (): Promise<void> => {
    keeper.stop();
    await rm(path, { force: true });
    if ((await liveAttachments(home)).length === 0) await stoppedBySupervisor(home);
  };
  try {
    const server = await waitForServices({ home, outside, devices: options.devices, queuePrefix, notify, keeper });
    return { server, devices: await hostedDevices(home), detach };
  } catch (error) {
    await detach();
    throw error;
  }
}

/**
 * What runs for this project now, without starting anything; `null` when its own server does not run. With
 * an outside server there always is an answer, though nothing says that the server can be reached.
 */
export async function attachedServices(home: Home): Promise<AttachedServices | null> {
  const server = outsideServer() ?? (await runningServer(home));
  if (server === null) return null;
  return { server, devices: await hostedDevices(home), holders: (await liveAttachments(home)).length };
}

async function runningServer(home: Home): Promise<ServerAddress | null> {
  const record = await livingServer(home);
  if (record === null) return null;
  const ports = portsOf(record);
  return { address: addressOf(ports), namespace: 'default', webUi: webUiOf(ports), embedded: true };
}

/** What can be told before anything is started: clearer, and sooner, than a process that dies. */
async function checkHost(home: Home, outside: ServerAddress | null): Promise<void> {
  await checkWritable(homePaths(home).state);
  await checkPython();
  if (outside === null) await claimDatabase(home, await serverVersion(temporalPath()));
}

async function checkWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeJsonAtomic(probe, { pid: process.pid });
    await rm(probe);
  } catch (error) {
    const why = messageOf(error);
    const fix = 'Make room and give yourself the right to write there, or set SCIENTIST_HOME to another folder.';
    throw new PlatformFailure('HostFailed', `${folder} cannot be written: ${why}`, fix, { cause: error });
  }
}

async function checkPython(): Promise<void> {
  try {
    await access(pythonPath(), constants.X_OK);
  } catch (error) {
    throw new PlatformFailure('HostFailed', `The Python ${pythonPath()} cannot be run.`, 'Run: npm run setup', { cause: error });
  }
}
