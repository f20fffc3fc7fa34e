import { readdir } from 'node:fs/promises';
import { LEGACY_DATA_DIR } from '../domain/config-legacy.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { orNull } from './atomic-file.ts';
import type { LoadedConfig } from './config-file.ts';
import { fromProject } from './config-path.ts';
import type { Home } from './layout.ts';
import { unreadable } from './yaml-file.ts';

/** The data folder of a run, absolute, or `null`; with what a person should know about it. */
export interface DataFolder {
  readonly dataDir: string | null;
  readonly warnings: string[];
}

/**
 * Finds the folder that a config's `data_dir` names, relative to the project.
 *
 * @throws PlatformFailure `ConfigInvalid` when it is missing, no folder, or not readable
 */
export async function findDataFolder(
  home: Home,
  { config, fromAiScientist }: Pick<LoadedConfig, 'config' | 'fromAiScientist'>,
): Promise<DataFolder> {
  if (config.data_dir === null) return { dataDir: null, warnings: [] };
  const folder = fromProject(home, config.data_dir);
  const entries = await listingOf(folder);
  if (entries !== null) return { dataDir: folder, warnings: [] };
  // The original's launcher replaced this key, so its file names a folder that nobody made.
  if (fromAiScientist && config.data_dir === LEGACY_DATA_DIR) {
    return { dataDir: null, warnings: [`data_dir has no effect: there is no folder ${folder}.`] };
  }
  throw new PlatformFailure(
    'ConfigInvalid',
    `data_dir: there is no folder ${folder}`,
    'Make it, or name one that is there, relative to the project or absolute.',
  );
}

async function listingOf(folder: string): Promise<string[] | null> {
  try {
    return await orNull(readdir(folder));
  } catch (error) {
    throw unreadable(error, `data_dir: ${folder}`, 'data folder');
  }
}
