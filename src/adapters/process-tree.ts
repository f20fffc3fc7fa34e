import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, signalProcess, type ProcessIdentity } from './process-identity.ts';

/**
 * What is left of an attempt whose shim is gone. A process belongs to it when its environment holds the
 * attempt's marker, when it is in the shim's session, or when it descends from one that does.
 *
 * T1 Only processes found in that way are signalled, each by pid and start time; never a whole group.
 * T2 This process and its parents are never among them.
 */

/** Name of the variable that marks everything an attempt starts. */
export const MARKER_VARIABLE = 'SCIENTIST_ATTEMPT';

/** By what the processes of an attempt are known. */
export interface AttemptTrace {
  /** The value of {@link MARKER_VARIABLE}; unique to the attempt. */
  readonly marker: string;
  /** The shim; `null` when it died before it could write who it was. */
  readonly shim: ProcessIdentity | null;
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number | null;
  readonly isMarked: boolean;
}

/** A process of an attempt that is alive. */
export interface Member {
  readonly identity: ProcessIdentity;
  /** 0 = the shim, 1 = what the shim started or took in, 2 = what that started. */
  readonly generation: number;
}

/** The processes of an attempt that are alive, the shim among them. */
export function findSurvivors(trace: AttemptTrace): ProcessIdentity[] {
  return findMembers(trace).map(({ identity }) => identity);
}

/** The same with their place in the tree; a process whose parents are gone counts as of generation 0. */
export function findMembers(trace: AttemptTrace): Member[] {
  const rows = process.platform === 'linux' ? linuxRows(trace.marker) : psRows(trace.marker);
  const found = new Set(rows.filter((row) => row.isMarked || isInSession(row, trace.shim)).map(({ pid }) => pid));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
  }
  for (const pid of ownLine(rows)) found.delete(pid);
  const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]));
  const generation = (pid: number): number => {
    const parent = parents.get(pid);
    return parent === undefined || !found.has(parent) ? 0 : 1 + generation(parent);
  };
  return [...found].flatMap((pid) => {
    const identity = identityOf(pid);
    return identity === null ? [] : [{ identity, generation: generation(pid) }];
  });
}

/** Kills what is left of an attempt and comes back when nothing of it is alive, however long that takes. */
export async function endSurvivors(trace: AttemptTrace): Promise<number> {
  let killed = 0;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const survivors = findSurvivors(trace);
    if (survivors.length === 0) return killed;
    killed += survivors.filter((identity) => signalProcess(identity, 'SIGKILL')).length;
    await sleep(pauseMs);
  }
}

/**
 * The kernel gives no process a number that is still the number of a session, so whoever is in the shim's
 * session belongs to it, unless another process now has the shim's number.
 */
function isInSession(row: ProcessRow, shim: ProcessIdentity | null): boolean {
  if (shim === null || row.session !== shim.pid) return false;
  const now = identityOf(shim.pid);
  return now === null ? shim.bootId === currentBoot() : isAlive(shim);
}

function currentBoot(): string {
  return identityOf(process.pid)?.bootId ?? '';
}

function ownLine(rows: readonly ProcessRow[]): number[] {
  const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]));
  const line: number[] = [];
  for (let pid: number | undefined = process.pid; pid !== undefined && !line.includes(pid); pid = parents.get(pid))
    line.push(pid);
  return line;
}

function linuxRows(marker: string): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readOrEmpty(`/proc/${name}/stat`);
      const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (session === undefined || state === 'Z' || state === 'X') return [];
      const variables = readOrEmpty(`/proc/${name}/environ`).split('\0');
      const isMarked = variables.includes(`${MARKER_VARIABLE}=${marker}`);
      return [{ pid: Number(name), parent: Number(parent), session: Number(session), isMarked }];
    });
}

/** Other systems: `ps -E` shows the environment of one's own processes after the command. */
function psRows(marker: string): ProcessRow[] {
  const text = execFileSync('ps', ['-axwwE', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || command === undefined) return [];
    const isMarked = command.includes(`${MARKER_VARIABLE}=${marker}`);
    return [{ pid: Number(pid), parent: Number(parent), session: null, isMarked }];
  });
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
