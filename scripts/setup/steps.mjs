import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findNpm, findPython, outsideEnv } from './checks.mjs';
import { runLogged } from './processes.mjs';
import { SetupProblem } from './problem.mjs';
import {
  modulesReady,
  modulesStamp,
  pinnedTemporal,
  recordedTemporal,
  setupPaths,
  venvReady,
  venvStamp,
  writeWhole,
} from './state.mjs';

/**
 * The steps of set-up in their order. `ready` says in a moment whether a step is done; `check` finds what it
 * needs before the first step starts, so that nobody waits for one to learn that the next cannot work; `run`
 * does it and gives a remark or nothing.
 */
export const STEPS = [
  { name: 'npm packages', ready: modulesReady, check: findNpm, run: installModules },
  { name: 'Python packages', ready: venvReady, check: findPython, run: installVenv },
  { name: 'temporal', ready: temporalReady, check: () => undefined, run: recordTemporal },
];

async function installModules(root, npm) {
  const paths = setupPaths(root);
  // npm removes the old packages in no order: without its stamp a half removed folder vouches for nothing.
  rmSync(paths.modulesStamp, { force: true });
  // The errors only: warnings about the Node that started npm are harmless, the project runs on its own.
  const args = ['ci', '--include=dev', '--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error'];
  const fix = 'check the network (and the proxy of npm), then run it again.';
  await runLogged(root, { name: 'npm', command: npm.command, args: [...npm.args, ...args], env: outsideEnv(root), fix });
  if (!existsSync(paths.node))
    throw new SetupProblem(`npm brought no Node for ${process.platform}-${process.arch}: see .scientist/logs/setup-npm.log`);
  writeWhole(paths.modulesStamp, modulesStamp(root));
}

async function installVenv(root, python) {
  const paths = setupPaths(root);
  const env = outsideEnv(root);
  rmSync(paths.venv, { recursive: true, force: true });
  const fix = 'check the network (and the proxy or index of pip), then run it again.';
  const venv = ['-m', 'venv', paths.venv];
  await runLogged(root, { name: 'venv', command: python.command, args: venv, env, fix: 'check that its venv module works.' });
  const pip = [
    '-m',
    'pip',
    'install',
    '--disable-pip-version-check',
    '--no-input',
    '--only-binary=:all:',
    '-r',
    paths.requirements,
  ];
  await runLogged(root, { name: 'pip', command: paths.python, args: pip, env, fix });
  writeWhole(paths.venvStamp, venvStamp(root));
  return `Python ${python.version}`;
}

function temporalReady(root) {
  return recordedTemporal(root)?.version === pinnedTemporal(root);
}

function recordTemporal(root) {
  const paths = setupPaths(root);
  const pinned = pinnedTemporal(root);
  const candidates = [...onPath('temporal'), paths.venvTemporal];
  const temporal = candidates.find((path) => versionOf(path) === pinned);
  if (temporal === undefined) {
    throw new SetupProblem(
      `the temporal CLI ${pinned} is needed and there is none for ${process.platform}-${process.arch} on PyPI: ` +
        `install it as https://docs.temporal.io/cli says and put it on PATH`,
    );
  }
  writeWhole(paths.record, `${JSON.stringify({ temporal, version: pinned, bytes: statSync(temporal).size })}\n`);
  return `${pinned}, ${temporal}`;
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).filter(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function versionOf(temporal) {
  const asked = spawnSync(temporal, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return /^temporal version ([\d.]+)/.exec(asked.stdout ?? '')?.[1] ?? null;
}
