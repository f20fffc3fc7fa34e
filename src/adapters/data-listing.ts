import { createHash } from 'node:crypto';
import { lstat, opendir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { PlatformFailure } from '../domain/failure.ts';
import { hasCode } from './atomic-file.ts';

/**
 * Stands for the content of a data folder in an evaluation's identity: the names, sizes and times of
 * modification of its files. Reading all bytes would cost minutes per evaluation on real data; a file that
 * is changed without any of the three changing goes unnoticed.
 */

/** A folder with more files is refused: its listing would take longer than an evaluation. */
const MAX_FILES = 100_000;

/** A listing is taken as still true for this long. */
const FRESH_MS = 30_000;

const known = new Map<string, { at: number; hash: string }>();

/**
 * The hash of a data folder's listing; `null` for no folder.
 *
 * @throws PlatformFailure `ArtifactMissing` when it is not there, `ConfigInvalid` when it is too large.
 */
export async function dataListingHash(folder: string | null): Promise<string | null> {
  if (folder === null) return null;
  const before = known.get(folder);
  if (before !== undefined && Date.now() - before.at < FRESH_MS) return before.hash;
  const entries = (await listing(folder)).sort();
  const hash = createHash('sha256').update(entries.join('\n')).digest('hex');
  known.set(folder, { at: Date.now(), hash });
  return hash;
}

async function listing(folder: string): Promise<string[]> {
  const entries: string[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for await (const entry of await openFolder(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else entries.push(await describe(folder, path));
      if (entries.length > MAX_FILES) throw tooLarge(folder);
    }
  }
  return entries;
}

async function openFolder(folder: string): ReturnType<typeof opendir> {
  return opendir(folder).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    throw new PlatformFailure(
      'ArtifactMissing',
      `The data folder ${folder} is not there.`,
      'Restore it, or correct data_dir in the config.',
    );
  });
}

/** A link counts as itself: what it points to may lie outside, and may lead back in. */
async function describe(folder: string, path: string): Promise<string> {
  const { size, mtimeMs } = await lstat(path);
  return `${relative(folder, path)}\t${size}\t${mtimeMs}`;
}

function tooLarge(folder: string): PlatformFailure {
  const fix = 'Pack them into fewer files, or point data_dir at a smaller folder.';
  return new PlatformFailure('ConfigInvalid', `The data folder ${folder} holds more than ${MAX_FILES} files.`, fix);
}
