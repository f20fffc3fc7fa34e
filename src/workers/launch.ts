import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Home } from '../adapters/layout.ts';
import { PACKAGE_ROOT } from '../adapters/project.ts';
import { openLogFile } from './log.ts';
import { roleOf, SUPERVISOR, type WorkerOrder, type ServerAddress } from './records.ts';
import { withoutKeys } from './scrub.ts';

/** How the processes of a project are started: on this Node, detached, with their output in their log. */

/** Where compiled code is kept between starts; it halves the time that a process needs to load. */
const COMPILE_CACHE = join(PACKAGE_ROOT, '.scientist', 'cache', 'v8');
/** Variables that hold a path, which a child in another folder must still find. */
const PATHS = ['SCIENTIST_PYTHON', 'SCIENTIST_TEMPORAL'];

/** Starts the supervisor of a home; it goes on when this process ends. `outside` = the server is not the project's own. */
export function launchSupervisor(home: Home, outside: ServerAddress | null): ChildProcess {
  const child = launch({ home, role: SUPERVISOR, entry: 'supervisor', argument: JSON.stringify(outside), env: process.env });
  child.unref();
  return child;
}

/** Starts a worker process. Only the proposals worker gets what looks like a key. */
export function launchWorker(home: Home, order: WorkerOrder): ChildProcess {
  const env = order.kind === 'proposals' ? process.env : withoutKeys(process.env, { keepTemporal: !order.server.embedded });
  return launch({ home, role: roleOf(order), entry: `${order.kind}-worker`, argument: JSON.stringify(order), env });
}

/** The file of an entry, as it lies beside this one: `.ts` in the project, `.js` in a built package. */
export function entryPath(entry: string): string {
  const here = fileURLToPath(import.meta.url);
  return join(here, '..', `${entry}${extname(here)}`);
}

interface Launch {
  readonly home: Home;
  readonly role: string;
  readonly entry: string;
  readonly argument: string;
  readonly env: NodeJS.ProcessEnv;
}

function launch({ home, role, entry, argument, env }: Launch): ChildProcess {
  const log = openLogFile(home, role);
  try {
    return spawn(process.execPath, [entryPath(entry), argument], {
      cwd: PACKAGE_ROOT,
      env: childEnvironment(home, env),
      stdio: ['ignore', log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function childEnvironment(home: Home, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const child: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env, SCIENTIST_HOME: home.root };
  for (const name of PATHS) if (env[name] !== undefined) child[name] = resolve(env[name]);
  return child;
}
