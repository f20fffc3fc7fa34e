import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Lock files of the whole host, at one path for all users and projects. */

/** Not `os.tmpdir()`: two users, or two shells with their own TMPDIR, must meet at one path. */
export const HOST_LOCKS = '/tmp/durable-scientist-locks';

/** The path of a host-global lock; what a file name may not hold is replaced. */
export function hostLockPath(name: string): string {
  return join(HOST_LOCKS, `${name.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.lock`);
}

/** Makes a host-global lock file that every user may open. */
export function shareHostLock(path: string): void {
  mkdirSync(HOST_LOCKS, { recursive: true });
  // No sticky bit: with it Linux (fs.protected_regular) refuses to open another user's file here.
  allow(HOST_LOCKS, 0o777);
  // Closing any descriptor of a file that this process has locked would drop the lock: open it only to make it.
  if (!existsSync(path)) closeSync(openSync(path, 'a'));
  allow(path, 0o666);
}

function allow(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // Made by another user, who did this already.
  }
}
