import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { hasCode, writeJsonAtomic } from './atomic-file.ts';
import { ownIdentity, ProcessIdentity } from './process-identity.ts';

/**
 * A lock that the kernel drops with its holder, however it dies: an exclusive SQLite transaction. Who holds
 * it stands in a file beside it, for people and for the refusal; the lock itself never depends on that file.
 *
 * L1 The lock file is never deleted: a second file under the same name would be a second lock.
 * L2 Children do not inherit it, so a training that outlives its worker does not keep the lock.
 */

/** Who holds a lock. */
export const LockHolder = z.strictObject({ identity: ProcessIdentity, what: z.string().max(300) });
export type LockHolder = z.infer<typeof LockHolder>;

/** The outcome of {@link takeLock}: held by us until `release` or our death, or by somebody else. */
export type LockAnswer =
  | { readonly held: true; release(): Promise<void> }
  | { readonly held: false; /** `null` when the holder did not come to write its name. */ readonly holder: LockHolder | null };

/** A database that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the lock at `path` if it is free; never waits. `what` tells others what this process is.
 *
 * @throws errors of the machine (no permission, disk full) as they are
 */
export async function takeLock(path: string, what: string): Promise<LockAnswer> {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  if (!begin(database)) {
    database.close();
    return { held: false, holder: await readHolder(path) };
  }
  held.add(database);
  await writeJsonAtomic(holderPath(path), { identity: ownIdentity(), what } satisfies LockHolder);
  return {
    held: true,
    release: async () => {
      await rm(holderPath(path), { force: true });
      held.delete(database);
      database.close();
    },
  };
}

/** Who says to hold the lock at `path`; `null` when nobody does. Whether it still does only {@link takeLock} can tell. */
export async function readHolder(path: string): Promise<LockHolder | null> {
  try {
    return LockHolder.parse(JSON.parse(await readFile(holderPath(path), 'utf8')));
  } catch {
    return null;
  }
}

function holderPath(path: string): string {
  return `${path}.holder.json`;
}

function begin(database: DatabaseSync): boolean {
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    database.close();
    throw error;
  }
}

/** SQLITE_BUSY is 5; its extended codes keep the low byte. */
function isBusy(error: unknown): boolean {
  if (!hasCode(error, 'ERR_SQLITE_ERROR') || !(error instanceof Error)) return false;
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
