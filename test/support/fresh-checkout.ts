import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

/** What a checkout holds of the project; what set-up brings is shared with this one. */
const COPIED = ['.npmrc', 'bin', 'config', 'experiments', 'package.json', 'package-lock.json', 'python', 'scripts', 'src'];

/**
 * A checkout of the project as it is right after set-up: the sources as they are here, nothing bundled, cached
 * or run yet. It lies in a new temporary folder, which the caller removes; gives its own folder.
 */
export function freshCheckout(name = 'durable-scientist'): string {
  const root = join(mkdtempSync(join(tmpdir(), 'scientist-checkout-')), name);
  mkdirSync(join(root, '.scientist'), { recursive: true });
  const filter = (path: string): boolean => !path.endsWith('__pycache__');
  for (const path of COPIED) cpSync(join(PACKAGE_ROOT, path), join(root, path), { recursive: true, filter });
  for (const path of ['node_modules', '.scientist/venv']) symlinkSync(join(PACKAGE_ROOT, path), join(root, path));
  cpSync(join(PACKAGE_ROOT, '.scientist', 'setup.json'), join(root, '.scientist', 'setup.json'));
  return root;
}
