import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from './problem.mjs';
import { setupPaths, writeWhole } from './state.mjs';

/**
 * Child processes of set-up. Each is the leader of a process group of its own and is on record before it does
 * anything, so that whoever comes after a killed set-up can end what that one left running.
 */

/** When a process started, in the system's own words; `null` when it is not there. Tells a pid from its reuse. */
export function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return process.platform === 'linux' || !isThere(pid) ? null : 'unknown';
  }
}

function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Ends the process group that a killed set-up left behind, if there is one. Only with the lock held. */
export async function endLeftovers(root) {
  const { child } = setupPaths(root);
  const left = readRecord(child);
  if (left !== null) {
    const now = startOf(left.pid);
    // A group outlives its leader, and as long as it does its number is not given to another process.
    if (now === null || now === left.start) await endGroup(left.pid);
  }
  rmSync(child, { force: true });
}

function readRecord(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

async function endGroup(pid) {
  signalGroup(pid, 'SIGKILL');
  while (isThere(-pid)) await new Promise((done) => setTimeout(done, 20));
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

/**
 * Runs a command in the project's folder with its output in `.scientist/logs/<name>.log`; throws a
 * {@link SetupProblem} that ends with `fix` and the last lines of the output when it fails.
 */
export async function runLogged(root, { name, command, args, env, fix }) {
  const paths = setupPaths(root);
  const log = join(paths.logs, `setup-${name}.log`);
  mkdirSync(paths.logs, { recursive: true });
  writeWhole(log, `${command} ${args.join(' ')}\n`);
  const { code, tail } = await runRecorded(root, { command, args, env, log });
  if (code === 0) return;
  const last = tail.trim().split('\n').slice(-8).join('\n  ');
  throw new SetupProblem(`${name} failed (${code}): ${fix} The whole output is in ${log}; its end:\n  ${last}`);
}

async function runRecorded(root, { command, args, env, log }) {
  const { child: record } = setupPaths(root);
  // The shell waits for a line before it becomes the command: a set-up killed right here leaves nothing running.
  const child = spawn('/bin/sh', ['-c', 'read go && exec "$@" </dev/null', 'sh', command, ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let tail = '';
  const keep = (text) => {
    appendFileSync(log, text);
    tail = (tail + text).slice(-4000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const interruption = passOnSignals(child);
  const ended = new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status, signal) => done(status ?? signal));
  });
  try {
    writeWhole(record, JSON.stringify({ pid: child.pid, start: startOf(child.pid) }));
    child.stdin.on('error', () => undefined).end('go\n');
    return { code: await ended, tail };
  } finally {
    rmSync(record, { force: true });
    interruption.settle();
  }
}

/** Ctrl-C does not reach a group of its own: it is passed on, and set-up then ends as one that was interrupted. */
function passOnSignals(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let interrupted = false;
  const onSignal = (signal) => {
    interrupted = true;
    signalGroup(child.pid, signal);
  };
  signals.forEach((signal) => process.on(signal, onSignal));
  const settle = () => {
    signals.forEach((signal) => process.off(signal, onSignal));
    if (interrupted) process.exit(130);
  };
  return { settle };
}
