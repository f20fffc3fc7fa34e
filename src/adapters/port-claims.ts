import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import { writeJsonAtomic } from './atomic-file.ts';
import { HOST_LOCKS, hostLockPath, shareHostLock } from './host-locks.ts';
import type { Home } from './layout.ts';
import { takeLock } from './process-lock.ts';
import { freePorts, type ServerPorts } from './temporal-server.ts';

/**
 * Which project a port belongs to. While the server of a living project is down, its workers and commands
 * try its address again and again: no other project of the host may take that port meanwhile, or they would
 * work for the wrong one.
 */

const Claim = z.strictObject({ root: z.string() });

const LOCK_NAME = 'ports';
const WAIT_MS = 10_000;
const POLL_MS = 20;

/** Whether anything of the project in that folder still runs. */
export type IsHomeAlive = (home: Home) => Promise<boolean>;

/**
 * Free ports for the server of a home, claimed for it: `preferred` where possible, else the first free pair
 * that no other living home has claimed. A home that cannot be looked into, another user's, counts as dead.
 *
 * @throws PlatformFailure `HostFailed` when there is none
 */
export async function claimPorts(home: Home, preferred: ServerPorts | null, isHomeAlive: IsHomeAlive): Promise<ServerPorts> {
  const release = await enter();
  try {
    const ports = await freePorts(preferred, async (port) => {
      const owner = await ownerOf(port);
      return owner === null || owner.root === home.root || !(await isHomeAlive(owner).catch(() => false));
    });
    await writeJsonAtomic(claimPath(ports.port), { root: home.root } satisfies z.infer<typeof Claim>);
    return ports;
  } finally {
    await release();
  }
}

/** Two that choose at once would choose the same: one at a time. */
async function enter(): Promise<() => Promise<void>> {
  const path = hostLockPath(LOCK_NAME);
  shareHostLock(path);
  for (const end = performance.now() + WAIT_MS; ;) {
    const lock = await takeLock(path, LOCK_NAME);
    if (lock.held) return () => lock.release();
    if (performance.now() > end)
      throw new PlatformFailure('HostFailed', `${path} is held for too long.`, 'End the process that holds it.');
    await sleep(POLL_MS);
  }
}

async function ownerOf(port: number): Promise<Home | null> {
  try {
    return Claim.parse(JSON.parse(await readFile(claimPath(port), 'utf8')));
  } catch {
    return null;
  }
}

function claimPath(port: number): string {
  return join(HOST_LOCKS, `port-${port}.json`);
}
