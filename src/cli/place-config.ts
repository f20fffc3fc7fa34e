import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { orNull, writeFileAtomic } from '../adapters/atomic-file.ts';
import { findConfig } from '../adapters/config-path.ts';
import type { Home } from '../adapters/layout.ts';
import { PlatformFailure } from '../domain/failure.ts';

/** Where a config lies for a run. */
export interface PlacedConfig {
  /** The file to read. */
  readonly path: string;
  /** The same file as the input of a run names it: relative to the project where that is possible. */
  readonly name: string;
  /** What was done with it, one line; `null` when it was left where it is. */
  readonly note: string | null;
}

/**
 * Makes a config of anywhere one that a run may read. A path is relative to the current folder, or else to
 * the project. A file outside of the project is copied into it under its hash: the run stays what it was
 * even when the file changes, and equal files make one copy.
 *
 * @throws PlatformFailure `ConfigInvalid` when there is no such file
 */
export async function placeConfig(home: Home, text: string, cwd = process.cwd()): Promise<PlacedConfig> {
  const here = await orNull(realpath(resolve(cwd, text)));
  const path = here ?? (await findConfig(home, text));
  try {
    await findConfig(home, path);
    return { path, name: await shortestName(home, path), note: null };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return copied(home, path);
  }
}

async function shortestName(home: Home, path: string): Promise<string> {
  const name = relative((await orNull(realpath(home.root))) ?? home.root, path);
  return !name.startsWith('..') && (await orNull(findConfig(home, name))) === path ? name : path;
}

async function copied(home: Home, path: string): Promise<PlacedConfig> {
  const bytes = await readFile(path);
  const name = join('.scientist', 'inputs', `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.yaml`);
  await writeFileAtomic(join(home.root, name), bytes);
  return {
    path,
    name,
    note: `${path} lies outside the project; the run reads its copy ${name}; paths in it count from ${home.root}`,
  };
}
