import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_PARTS, type DiskPart, type DiskUse } from '../domain/disk-use.ts';
import { hasCode } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';

/** How much of the disk something takes. Links count as themselves and are never followed. */

/** Entries that are looked at at once. */
const AT_ONCE = 64;

/** The unit of `blocks` in what the system says of a file, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

/** A limit on how many entries are looked at, shared by several walks. */
export interface WalkLimit {
  left: number;
}

/** A limit of this many entries. */
export function walkLimit(entries: number): WalkLimit {
  return { left: entries };
}

/** The bytes that a file or folder takes, up to the limit; 0 for nothing. What vanishes meanwhile counts as nothing. */
export async function bytesIn(path: string, limit: WalkLimit = walkLimit(Infinity)): Promise<number> {
  let bytes = 0;
  await walk(path, limit, (_, size) => {
    bytes += size;
  });
  return bytes;
}

/** What a run's folder takes, by part, looking at `entries` files and folders at most. */
export async function runDiskUse(home: Home, runId: string, entries: number): Promise<DiskUse> {
  const { root } = runPaths(home, runId);
  const limit = walkLimit(entries);
  const parts = Object.fromEntries(DISK_PARTS.map((part) => [part, 0])) as Record<DiskPart, number>;
  await walk(root, limit, (path, size) => {
    parts[partOf(path.slice(root.length + 1))] += size;
  });
  const bytes = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { bytes, parts, complete: limit.left > 0 };
}

function partOf(path: string): DiskPart {
  const [first, , third] = path.split('/');
  if (first === 'evaluations' && third === 'checkpoint') return 'checkpoints';
  if (first === 'evaluations') return 'attempts';
  return first === 'artifacts' || first === 'journal' || first === 'reruns' ? first : 'other';
}

async function walk(start: string, limit: WalkLimit, tell: (path: string, bytes: number) => void): Promise<void> {
  const open = [start];
  while (open.length > 0 && limit.left > 0) {
    const batch = open.splice(-AT_ONCE, AT_ONCE);
    limit.left -= batch.length;
    const found = await Promise.all(batch.map(look));
    found.forEach((entry, index) => {
      if (entry !== null) tell(batch[index] ?? start, entry.bytes);
      open.push(...(entry?.inside ?? []));
    });
  }
  if (open.length > 0) limit.left = 0;
}

/** The size of one entry and what lies in it; `null` when it is gone or may not be looked at. */
async function look(path: string): Promise<{ bytes: number; inside: string[] } | null> {
  try {
    const entry = await lstat(path);
    const bytes = entry.blocks * BLOCK_BYTES;
    if (!entry.isDirectory()) return { bytes, inside: [] };
    const inside: string[] = [];
    for await (const { name } of await opendir(path)) inside.push(join(path, name));
    return { bytes, inside };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return null;
    throw error;
  }
}
