import { execFile } from 'node:child_process';
import { access, constants, mkdir, readFile, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { orNull } from '../adapters/atomic-file.ts';
import { homePaths, type Home } from '../adapters/layout.ts';
import { findDevices } from '../adapters/list-devices.ts';
import { pythonPath, temporalPath } from '../adapters/project.ts';
import { freePorts, serverVersion } from '../adapters/temporal-server.ts';
import { messageOf, PlatformFailure } from '../domain/failure.ts';
import { findServer } from './services.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** Whether nothing works without it. */
  readonly needed: boolean;
  readonly found: string;
  /** What to do; `null` when all is well. */
  readonly fix: string | null;
}

/** What a check found. */
type Finding =
  { readonly ok: true; readonly found: string } | { readonly ok: false; readonly found: string; readonly fix: string };

const NODE_MAJOR = 24;
const PACKAGES = ['numpy', 'scipy', 'scikit-learn', 'matplotlib'];
/** A run of the default size needs far less; below this a server's database may not grow. */
const LEAST_FREE_BYTES = 1024 ** 3;

/** Looks at everything that a run needs on this machine; changes nothing but the state folder's existence. */
export async function checkMachine(home: Home, env: NodeJS.ProcessEnv): Promise<Check[]> {
  return Promise.all([
    check('node', true, () => Promise.resolve(nodeFinding())),
    check('platform', true, () => Promise.resolve(platformFinding())),
    check('python', true, () => pythonFinding(env)),
    check('python packages', true, () => packagesFinding(env)),
    check('temporal', true, async () => ({ ok: true, found: `server ${await serverVersion(temporalPath(env))}` })),
    check('server database', true, () => databaseFinding(home, env)),
    check('server', true, () => portsFinding(home)),
    check('write permission', true, () => writeFinding(home)),
    check('disk space', true, () => diskFinding(home)),
    check('devices', false, () => devicesFinding(env)),
  ]);
}

async function check(name: string, needed: boolean, look: () => Promise<Finding>): Promise<Check> {
  try {
    const finding = await look();
    return { name, needed, ok: finding.ok, found: finding.found, fix: finding.ok ? null : finding.fix };
  } catch (error) {
    const found = messageOf(error);
    return { name, needed, ok: false, found, fix: error instanceof PlatformFailure ? error.fix : 'run npm run setup' };
  }
}

function nodeFinding(): Finding {
  const found = process.versions.node;
  return Number(found.split('.')[0]) === NODE_MAJOR
    ? { ok: true, found }
    : { ok: false, found, fix: `start it with npm run scientist --, which uses the project's Node ${NODE_MAJOR}` };
}

function platformFinding(): Finding {
  const found = `${process.platform} ${process.arch}`;
  if (process.platform === 'linux' || process.platform === 'darwin') return { ok: true, found };
  return { ok: false, found, fix: 'use Linux, macOS, or Windows through WSL' };
}

async function pythonFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const path = pythonPath(env);
  const version = await output(path, ['-c', 'import sys; print(".".join(map(str, sys.version_info[:3])))']);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 3 && minor >= 11) return { ok: true, found: `${version} at ${path}` };
  return { ok: false, found: `${version} at ${path}`, fix: 'install Python 3.11 or newer, then run npm run setup' };
}

async function packagesFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const script =
    'import sys; from importlib.metadata import version; print(", ".join(f"{n} {version(n)}" for n in sys.argv[1:]))';
  return { ok: true, found: await output(pythonPath(env), ['-c', script, ...PACKAGES]) };
}

async function databaseFinding(home: Home, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { database } = homePaths(home);
  const made = (await orNull(readFile(`${database}.version`, 'utf8')))?.trim();
  if (made === undefined) return { ok: true, found: 'none yet' };
  const version = await serverVersion(temporalPath(env));
  if (made === version) return { ok: true, found: `of server ${made}` };
  return {
    ok: false,
    found: `of server ${made}, but temporal is ${version}`,
    fix: `use that version (SCIENTIST_TEMPORAL), or move ${database}* elsewhere`,
  };
}

async function portsFinding(home: Home): Promise<Finding> {
  const server = await findServer(home);
  if (server !== null) return { ok: true, found: `running at ${server.address}` };
  const { port, uiPort } = await freePorts(null);
  return { ok: true, found: `not running; ports ${port} and ${uiPort} are free` };
}

async function writeFinding(home: Home): Promise<Finding> {
  const { state } = homePaths(home);
  try {
    await mkdir(state, { recursive: true });
    await access(state, constants.W_OK);
    return { ok: true, found: home.root };
  } catch {
    return {
      ok: false,
      found: `${home.root} cannot be written`,
      fix: 'give yourself the right to write there, or choose another folder with SCIENTIST_HOME',
    };
  }
}

async function diskFinding(home: Home): Promise<Finding> {
  const { bavail, bsize } = await statfs(home.root);
  const found = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB free`;
  return bavail * bsize >= LEAST_FREE_BYTES ? { ok: true, found } : { ok: false, found, fix: 'free some space' };
}

async function devicesFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const { gpus, cores, notes } = await findDevices(env);
  const found = [`${gpus.length} GPUs, ${cores} CPU cores`, ...notes].join('; ');
  return { ok: true, found };
}

async function output(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, [...args], { timeout: 60_000 });
  return stdout.trim();
}
