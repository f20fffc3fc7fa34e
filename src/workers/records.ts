import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { orNull, writeJsonAtomic } from '../adapters/atomic-file.ts';
import { homePaths, type Home } from '../adapters/layout.ts';
import { isAlive, ProcessIdentity } from '../adapters/process-identity.ts';
import { ServerRecord } from '../adapters/temporal-server.ts';
import { Device } from '../domain/device.ts';
import { messageOf, PlatformFailure, PlatformFailureType } from '../domain/failure.ts';

/**
 * What the processes of a project write about themselves, so that any other finds them after any crash:
 * `.scientist/workers/<role>.json`, `.scientist/attached/*.json`, `.scientist/server.json`. A record is
 * believed only while its process lives, by pid, start time and boot id.
 */

/** How the Temporal server of a project is reached. */
export const ServerAddress = z.strictObject({
  /** host:port of the front end. */
  address: z.string().max(300),
  namespace: z.string().max(255),
  /** Address of the Web UI; `null` where it is not known (an outside server). */
  webUi: z.string().nullable(),
  /** Whether it is the project's own server, started and stopped by `scientist`. */
  embedded: z.boolean(),
});
export type ServerAddress = z.infer<typeof ServerAddress>;

/** A `PlatformFailure` as data. */
export const Problem = z.strictObject({ type: PlatformFailureType, message: z.string(), fix: z.string() });
export type Problem = z.infer<typeof Problem>;

/** What a worker process serves. */
export const WorkerKind = z.enum(['control', 'proposals', 'device']);
export type WorkerKind = z.infer<typeof WorkerKind>;

/** What a worker process is started with, as its one argument in JSON. */
export const WorkerOrder = z.strictObject({
  kind: WorkerKind,
  server: ServerAddress,
  /** Prefix of the queue names. */
  queuePrefix: z.string().max(60),
  /** The device of a device worker; `null` for the others. */
  device: Device.nullable(),
});
export type WorkerOrder = z.infer<typeof WorkerOrder>;

/** A worker's record, written by itself. */
export const WorkerRecord = z.strictObject({
  v: z.literal(1),
  role: z.string(),
  order: WorkerOrder,
  identity: ProcessIdentity,
  /** `ready` = it polls its queues. `failed` = it ended for the reason in `problem`. */
  state: z.enum(['starting', 'ready', 'failed']),
  problem: Problem.nullable(),
});
export type WorkerRecord = z.infer<typeof WorkerRecord>;

/** How a service that the supervisor keeps alive is doing. */
export const ServiceView = z.strictObject({
  role: z.string(),
  /** Times it had to be started again. */
  restarts: z.number().int().min(0),
  /** Ends in a row without a time of health between them. */
  failures: z.number().int().min(0),
  problem: Problem.nullable(),
});
export type ServiceView = z.infer<typeof ServiceView>;

/** The supervisor's record. */
export const SupervisorRecord = z.strictObject({
  v: z.literal(1),
  identity: ProcessIdentity,
  state: z.enum(['running', 'stopping']),
  /** `null` while the project's own server has no address yet. */
  server: ServerAddress.nullable(),
  services: z.array(ServiceView),
});
export type SupervisorRecord = z.infer<typeof SupervisorRecord>;

/** An attached command: the services run as long as one of them lives. */
export const AttachRecord = z.strictObject({
  v: z.literal(1),
  identity: ProcessIdentity,
  devices: z.array(Device).max(1000),
  queuePrefix: z.string().max(60),
});
export type AttachRecord = z.infer<typeof AttachRecord>;

/** The role of an order: names its record, lock and log, safe as a file name. */
export function roleOf(order: Pick<WorkerOrder, 'kind' | 'queuePrefix' | 'device'>): string {
  const own = order.device === null ? order.kind : `device-${order.device.name}`;
  if (order.queuePrefix === '') return own;
  const hash = createHash('sha256').update(order.queuePrefix).digest('hex').slice(0, 6);
  return `${own}.${order.queuePrefix.replaceAll(/[^A-Za-z0-9-]/g, '_').slice(0, 40)}.${hash}`;
}

/** Role of the supervisor; no worker has it. */
export const SUPERVISOR = 'supervisor';
/** Role of the project's own server. */
export const SERVER = 'server';

/** The record file of a role. */
export function recordPath(home: Home, role: string): string {
  return join(homePaths(home).workers, `${role}.json`);
}

/** The log file of a role. */
export function logPath(home: Home, role: string): string {
  return join(homePaths(home).logs, `${role}.log`);
}

/** The lock file of a role. */
export function lockPath(home: Home, role: string): string {
  return join(homePaths(home).locks, `${role}.lock`);
}

/** Writes a worker's record. */
export async function writeWorkerRecord(home: Home, record: WorkerRecord): Promise<void> {
  await writeJsonAtomic(recordPath(home, record.role), record);
}

/** How often a process touches its record. */
const BEAT_MS = 3000;

/**
 * Touches the record of a role every few seconds, so that others see that this process is not frozen, until
 * the returned function is called. It writes no data, so it works on a full disk.
 */
export function beatOn(home: Home, role: string): () => void {
  const path = recordPath(home, role);
  const beat = (): void => {
    const now = new Date();
    // A record that is gone belongs to a project that is being stopped.
    utimes(path, now, now).catch(() => undefined);
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/** The latest sign of life of a role's process, another one each few seconds; `null` before its first record. */
export async function signOf(home: Home, role: string, identity: ProcessIdentity): Promise<string | null> {
  const record = await readRecord(recordPath(home, role), z.looseObject({ identity: ProcessIdentity }));
  if (record?.identity.pid !== identity.pid || record.identity.startTime !== identity.startTime) return null;
  const touched = await orNull(stat(recordPath(home, role)));
  return touched === null ? null : String(touched.mtimeMs);
}

/** A role's worker record, alive or not; `null` when there is none that can be read. */
export async function readWorkerRecord(home: Home, role: string): Promise<WorkerRecord | null> {
  return readRecord(recordPath(home, role), WorkerRecord);
}

/** The supervisor's record while it lives. */
export async function livingSupervisor(home: Home): Promise<SupervisorRecord | null> {
  const record = await readRecord(recordPath(home, SUPERVISOR), SupervisorRecord);
  return record !== null && isAlive(record.identity) ? record : null;
}

/** The record of the server that runs now or ran last. */
export async function readServerRecord(home: Home): Promise<ServerRecord | null> {
  return readRecord(homePaths(home).server, ServerRecord);
}

/** The record of the server that runs now; `null` when none of this home does. */
export async function livingServer(home: Home): Promise<ServerRecord | null> {
  const record = await readServerRecord(home);
  return record !== null && isAlive(record.identity) ? record : null;
}

/** The records of all workers whose process lives, by role. */
export async function livingWorkers(home: Home): Promise<WorkerRecord[]> {
  const folder = homePaths(home).workers;
  const names = ((await orNull(readdir(folder))) ?? []).filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name), WorkerRecord)));
  return records.filter((record) => record !== null).filter(({ state, identity }) => state !== 'failed' && isAlive(identity));
}

/** The devices whose workers poll now, by name. */
export async function hostedDevices(home: Home): Promise<Device[]> {
  const workers = await livingWorkers(home);
  return workers.filter(({ state }) => state === 'ready').flatMap(({ order }) => (order.device === null ? [] : [order.device]));
}

/** The commands that are attached and alive. Records of dead ones are removed. */
export async function liveAttachments(home: Home): Promise<AttachRecord[]> {
  const folder = homePaths(home).attached;
  const names = ((await orNull(readdir(folder))) ?? []).filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  const records = await Promise.all(names.map((name) => liveAttachment(join(folder, name))));
  return records.filter((record) => record !== null);
}

/** Whether any process of a home runs: its server, its supervisor, a worker or an attached command. */
export async function isHomeAlive(home: Home): Promise<boolean> {
  const server = await readServerRecord(home);
  if (server !== null && isAlive(server.identity)) return true;
  if ((await livingSupervisor(home)) !== null) return true;
  return (await livingWorkers(home)).length > 0 || (await liveAttachments(home)).length > 0;
}

/** A problem as the error that a command shows. */
export function problemFailure(problem: Problem, details: string): PlatformFailure {
  return new PlatformFailure(problem.type, [problem.message, details].filter((part) => part !== '').join('\n'), problem.fix);
}

/** An error as data: a `PlatformFailure` as it is, anything else as a failure of the host. */
export function toProblem(error: unknown): Problem {
  if (error instanceof PlatformFailure) return { type: error.type, message: error.message, fix: error.fix };
  const message = messageOf(error);
  return { type: 'HostFailed', message, fix: 'See the logs in .scientist/logs.' };
}

async function liveAttachment(path: string): Promise<AttachRecord | null> {
  const record = await readRecord(path, AttachRecord);
  if (record !== null && isAlive(record.identity)) return record;
  await rm(path, { force: true });
  return null;
}

/** What cannot be read counts as absent: a record is a hint that its process writes anew, never the truth itself. */
async function readRecord<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | null> {
  const text = await orNull(readFile(path, 'utf8'));
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
