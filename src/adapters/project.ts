import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** The `temporal` binary: `SCIENTIST_TEMPORAL`, else the one that set-up made. */
export function temporalPath(env: NodeJS.ProcessEnv = process.env): string {
  return env['SCIENTIST_TEMPORAL'] ?? join(PACKAGE_ROOT, '.scientist', 'venv', 'bin', 'temporal');
}
