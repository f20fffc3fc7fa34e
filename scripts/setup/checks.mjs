import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupProblem } from './problem.mjs';
import { setupPaths } from './state.mjs';

/** What must be there before anything is installed. Each check throws one line that says what to install. */

const OLDEST_NODE = 20;
const PYTHONS = ['python3.13', 'python3.12', 'python3.11', 'python3'];
const OLDEST_PYTHON = [3, 11];
const ASK_PYTHON = 'import sys, venv, ensurepip; print("%d.%d.%d" % sys.version_info[:3])';

/** Refuses a Node that is too old to start with. */
export function checkNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return;
  throw new SetupProblem(
    `Node ${OLDEST_NODE} or newer is needed (this is ${process.version}): install it from https://nodejs.org`,
  );
}

/**
 * The environment for a child: without the project's own `node_modules/.bin`, which npm puts in front. Its
 * `node` is about to be replaced and must not be the one that does the replacing.
 */
export function outsideEnv(root, env = process.env) {
  const own = join(setupPaths(root).modules, '.bin');
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== own);
  return { ...env, PATH: path.join(delimiter) };
}

/** How npm is started: the one that runs this script if there is one, else the one on PATH. */
export function findNpm(root) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script?.endsWith('npm-cli.js') && node && existsSync(script) && !node.startsWith(setupPaths(root).modules)) {
    return { command: node, args: [script] };
  }
  const found = spawnSync('npm', ['--version'], { env: outsideEnv(root) });
  if (found.status === 0) return { command: 'npm', args: [] };
  throw new SetupProblem('npm is needed: install Node with npm from https://nodejs.org');
}

/** The first Python that is new enough and has its venv module, as `{command, version}`. */
export function findPython() {
  const seen = [];
  for (const command of PYTHONS) {
    const asked = spawnSync(command, ['-c', ASK_PYTHON], { encoding: 'utf8' });
    const version = asked.stdout?.trim() ?? '';
    if (asked.status === 0 && isNewEnough(version)) return { command, version };
    if (asked.status === 0) seen.push(`${command} is ${version}`);
    else if (/ensurepip|venv/.test(asked.stderr ?? '')) seen.push(`${command} has no venv module`);
  }
  const found = seen.length > 0 ? ` (${seen.join(', ')})` : '';
  throw new SetupProblem(
    `Python 3.11 or newer with its venv module is needed${found}: install python3 and python3-venv, or get it from https://www.python.org/downloads`,
  );
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]);
}
