import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * Which process is meant. A pid alone is reused by the kernel; pid, start time and boot id together name
 * one process for ever, so a record on disk can be trusted after any crash.
 */

/** Identity of a process. */
export const ProcessIdentity = z.strictObject({
  pid: z.number().int().min(1),
  /** As the system tells it (Linux: clock ticks since boot); see {@link startedBefore}. */
  startTime: z.string().max(60),
  /** Changes with each start of the machine; empty where the system has none. */
  bootId: z.string().max(60),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** The identity of a running process; `null` when there is none, or only its unreaped rest. */
export function identityOf(pid: number): ProcessIdentity | null {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : psStartTime(pid);
  return startTime === null ? null : { pid, startTime, bootId: bootId() };
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (identity === null) throw new Error(`the system does not know process ${process.pid}`);
  return identity;
}

/** Whether that very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** Whether one process started before another, on the same boot; `false` where the system does not tell. */
export function startedBefore(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.bootId === other.bootId && Number(one.startTime) < Number(other.startTime);
}

/** Sends a signal to that very process; `false` when it is gone. A process of another user counts as gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false;
  }
}

function linuxStartTime(pid: number): string | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name of the program stands in parentheses and may hold spaces: fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const isDead = ['Z', 'X', 'x'].includes(fields[0] ?? '');
  return isDead ? null : (fields[19] ?? null);
}

function psStartTime(pid: number): string | null {
  try {
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null;
  }
}

let knownBootId: string | null = null;

function bootId(): string {
  knownBootId ??= (readOrNull('/proc/sys/kernel/random/boot_id') ?? '').trim();
  return knownBootId;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
