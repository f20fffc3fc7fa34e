import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Home } from './layout.ts';

/** Folder of the program itself: holds `experiments/`, `python/`, `config/`. */
export const PACKAGE_ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The project's home: `SCIENTIST_HOME` where it is set (tests, a second project), else the program's folder. */
export function projectHome(env: NodeJS.ProcessEnv = process.env): Home {
  return { root: resolve(env['SCIENTIST_HOME'] ?? PACKAGE_ROOT) };
}

/** The Python that runs experiments: `SCIENTIST_PYTHON`, else the one that set-up made. */
export function pythonPath(env: NodeJS.ProcessEnv = process.env): string {
  return env['SCIENTIST_PYTHON'] ?? join(PACKAGE_ROOT, '.scientist', 'venv', 'bin', 'python');
}

/** What set-up records of the `temporal` binary that it chose (scripts/setup/steps.mjs); only the path is read here. */
const SetupRecord = z.object({ temporal: z.string() });

/** The `temporal` binary: `SCIENTIST_TEMPORAL`, else the one that set-up chose, else where set-up puts its own. */
export function temporalPath(env: NodeJS.ProcessEnv = process.env, root: string = PACKAGE_ROOT): string {
  return env['SCIENTIST_TEMPORAL'] ?? recordedTemporal(root) ?? join(root, '.scientist', 'venv', 'bin', 'temporal');
}

function recordedTemporal(root: string): string | null {
  try {
    const record = SetupRecord.parse(JSON.parse(readFileSync(join(root, '.scientist', 'setup.json'), 'utf8')));
    return existsSync(record.temporal) ? record.temporal : null;
  } catch {
    return null;
  }
}
