import { runPaths } from '../../adapters/layout.ts';
import { readLedgers } from '../../adapters/ledger.ts';
import { shimOf } from '../../adapters/process-group.ts';
import { signalProcess, type ProcessIdentity } from '../../adapters/process-identity.ts';
import { findMembers, type Member } from '../../adapters/process-tree.ts';
import { openAttempts as openAttemptsOf, type LedgerAttempt } from '../../domain/ledger.ts';
import {
  liveAttachments,
  livingServer,
  livingSupervisor,
  livingWorkers,
  SERVER,
  SUPERVISOR,
  type WorkerKind,
} from '../records.ts';
import type { Target } from './fault.ts';

/** The processes that a fault may reach, from the records that the project keeps of them (F1). */

/** A process that is alive, and what it is. */
export interface Victim {
  readonly what: string;
  readonly identity: ProcessIdentity;
}

/** An attempt of the run that its ledger calls open, and the living processes of it. */
export interface OpenAttempt {
  readonly attempt: LedgerAttempt;
  readonly shim: readonly Victim[];
  /** What the shim started. */
  readonly program: readonly Victim[];
  /** What the program started. */
  readonly grandchildren: readonly Victim[];
}

/** The project's own server; none when the run is on an outside one. */
export async function serverOf({ home }: Target): Promise<Victim[]> {
  const record = await livingServer(home);
  return record === null ? [] : [{ what: SERVER, identity: record.identity }];
}

/** The supervisor. */
export async function supervisorOf({ home }: Target): Promise<Victim[]> {
  const record = await livingSupervisor(home);
  return record === null ? [] : [{ what: SUPERVISOR, identity: record.identity }];
}

/** The workers of these kinds, sorted by role. */
export async function workersOf({ home }: Target, kinds: readonly WorkerKind[]): Promise<Victim[]> {
  const workers = (await livingWorkers(home)).filter(({ order }) => kinds.includes(order.kind));
  return workers.map(({ role, identity }) => ({ what: role, identity }));
}

/** The attached commands, other than this process. */
export async function commandsOf({ home }: Target): Promise<Victim[]> {
  const attached = (await liveAttachments(home)).filter(({ identity }) => identity.pid !== process.pid);
  return attached.map(({ identity }) => ({ what: 'command', identity }));
}

/** The open attempts of the run with something alive, oldest first. */
export async function openAttempts({ home, runId }: Target): Promise<OpenAttempt[]> {
  const open = openAttemptsOf((await readLedgers(home)).lines).filter(({ run }) => run === runId);
  const found = await Promise.all(open.map(async (attempt) => membersOf({ home, runId }, attempt)));
  return found.filter(({ shim, program }) => shim.length + program.length > 0).sort(byStart);
}

/** Sends a signal to each; what was hit, as text. */
export function signalAll(victims: readonly Victim[], signal: NodeJS.Signals): string[] {
  const hit = victims.filter(({ identity }) => signalProcess(identity, signal));
  return hit.map(({ what, identity }) => `${signal} ${what} (${identity.pid})`);
}

async function membersOf({ home, runId }: Target, attempt: LedgerAttempt): Promise<OpenAttempt> {
  const folder = runPaths(home, runId).attempt(attempt.evaluation, attempt.attempt);
  const shim = await shimOf(folder);
  const members = findMembers({ marker: folder, shim });
  const isShim = ({ identity }: Member): boolean => identity.pid === shim?.pid;
  const named = (what: string, belongs: (member: Member) => boolean): Victim[] =>
    members.filter(belongs).map(({ identity }) => ({ what: `${what} of ${attempt.device}`, identity }));
  return {
    attempt,
    shim: named('shim', isShim),
    // Without its shim a program is the root of what is left.
    program: named('program', (member) => member.generation <= 1 && !isShim(member)),
    grandchildren: named('grandchild', ({ generation }) => generation > 1),
  };
}

function byStart(a: OpenAttempt, b: OpenAttempt): number {
  return a.attempt.startedAt - b.attempt.startedAt;
}
