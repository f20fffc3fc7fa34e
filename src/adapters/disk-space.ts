import { statfs } from 'node:fs/promises';
import { PlatformFailure } from '../domain/failure.ts';

/** Below this much free space, what fails is the disk's failure and not a program's. */
const FULL_BYTES = 2 ** 20;

/** Whether the disk that holds a folder is full. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < FULL_BYTES;
}

/** What is thrown because the disk that holds a folder is full. */
export function diskFull(folder: string): PlatformFailure {
  return new PlatformFailure('DiskFull', `The disk that holds ${folder} is full.`, 'Free some space: the run goes on by itself.');
}

/**
 * Lets nothing begin that would fail for want of space.
 *
 * @throws PlatformFailure `DiskFull`
 */
export async function requireSpace(folder: string): Promise<void> {
  if (await isDiskFull(folder)) throw diskFull(folder);
}
