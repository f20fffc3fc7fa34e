import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { startOf } from './processes.mjs';
import { SetupProblem } from './problem.mjs';
import { setupPaths } from './state.mjs';

/**
 * One set-up at a time in a checkout. The lock is a file with the holder's pid and start time, put in place by
 * a hard link (all of it or nothing); one whose holder is dead blocks nobody.
 */

/** Takes the lock, waiting for a living holder; `notify` is told once whom it waits for. Gives the release. */
export async function takeLock(root, notify) {
  const { state, lock } = setupPaths(root);
  makeFolder(state);
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  try {
    for (let told = false; !tryLink(own, lock);) {
      const holder = readHolder(lock);
      if (holder === null) continue;
      if (startOf(holder.pid) !== holder.start) {
        removeDead(lock);
        continue;
      }
      if (!told) notify(`waiting for another set-up of this folder (process ${holder.pid})`);
      told = true;
      await new Promise((done) => setTimeout(done, 100));
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new SetupProblem(`cannot make ${path} (${error.code}): give this user write permission in the project's folder`);
  }
}

function tryLink(own, lock) {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the lock; `null` when it was released in between. */
function readHolder(lock) {
  try {
    return JSON.parse(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    return { pid: 0, start: 'unreadable' };
  }
}

/**
 * Removes a lock whose holder is dead. Two may find it dead at once, and the slower one must not remove the
 * lock that the faster one has taken since: only one at a time looks again and removes.
 */
function removeDead(lock) {
  const breaking = `${lock}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    dropAbandoned(breaking);
    return;
  }
  const holder = readHolder(lock);
  if (holder !== null && startOf(holder.pid) !== holder.start) rmSync(lock, { force: true });
  rmdirSync(breaking);
}

function dropAbandoned(breaking) {
  try {
    if (Date.now() - statSync(breaking).mtimeMs > 10_000) rmdirSync(breaking);
  } catch {
    // Another one was faster.
  }
}
