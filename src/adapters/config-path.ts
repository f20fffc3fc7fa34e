import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { PlatformFailure } from '../domain/failure.ts';
import { orNull } from './atomic-file.ts';
import type { Home } from './layout.ts';
import { PACKAGE_ROOT } from './project.ts';

/**
 * The absolute path of the config file that a run names: a relative path is looked for in the project, then
 * beside the program. Whoever reaches the server can start a run, so nothing outside of both is read.
 * A file that is not there is found out by reading it.
 *
 * @throws PlatformFailure `ConfigInvalid` when the path leaves the project, also through a symbolic link
 */
export async function findConfig(home: Home, path: string): Promise<string> {
  const roots = await withRealPaths([home.root, PACKAGE_ROOT]);
  const candidates = isAbsolute(path) ? [path] : [resolve(home.root, path), resolve(PACKAGE_ROOT, path)];
  const allowed = candidates.filter((candidate) => roots.some((root) => isInside(root, candidate)));
  for (const candidate of allowed) {
    const real = await orNull(realpath(candidate));
    if (real === null) continue;
    if (roots.some((root) => isInside(root, real))) return real;
    throw outside(home, path);
  }
  const [first] = allowed;
  if (first === undefined) throw outside(home, path);
  return first;
}

/** The absolute path of something that a config names: relative to the project, or anywhere if it is absolute. */
export function fromProject(home: Home, path: string): string {
  return resolve(home.root, path);
}

/** Whether a path lies below a folder, by its letters alone. */
function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

async function withRealPaths(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => orNull(realpath(folder))));
  return [...folders, ...real.filter((folder) => folder !== null)];
}

function outside(home: Home, path: string): PlatformFailure {
  return new PlatformFailure(
    'ConfigInvalid',
    `${path}: the config file lies outside the project (${home.root})`,
    'Copy it into the project, e.g. into its folder config.',
  );
}
