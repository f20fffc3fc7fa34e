import { spawn, type ChildProcess } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitRecord, type ShimSpec } from '../domain/attempt.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { hasCode, readJsonOrNull, writeJsonAtomic } from './atomic-file.ts';
import { ProcessIdentity, signalProcess } from './process-identity.ts';
import { endSurvivors, MARKER_VARIABLE } from './process-tree.ts';
import { PACKAGE_ROOT } from './project.ts';
import { readPart } from './results-file.ts';

/**
 * Starting an attempt under its shim (python/shim.py), ending it, and knowing that nothing of it is alive.
 * The shim leads a session of its own and outlives this process; everything that is known of it lies in the
 * attempt's folder.
 */

const SHIM = join(PACKAGE_ROOT, 'python', 'shim.py');

/** A shim that is this much behind its own limits was stopped, or hangs: it is killed with all it started. */
const OVERDUE_MS = 60_000;

/** An attempt whose shim was started by this process. */
export interface RunningAttempt {
  /** Resolves when nothing of the attempt is alive any more; `exit.json` is on disk by then. */
  readonly ended: Promise<ExitRecord>;
  /** Asks the shim to end the program; {@link RunningAttempt.ended} tells when that is done. */
  end(): Promise<void>;
}

/**
 * Starts an attempt in its folder, which must be fresh.
 *
 * @throws PlatformFailure `HostFailed` when the interpreter cannot be started.
 */
export async function startAttempt(spec: ShimSpec, python: string): Promise<RunningAttempt> {
  const specFile = join(spec.folder, 'spec.json');
  await writeFile(specFile, JSON.stringify(spec));
  const log = await open(join(spec.folder, 'shim.log'), 'a');
  try {
    const shim = spawn(python, ['-I', '-S', SHIM, specFile], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      cwd: spec.folder,
      env: { [MARKER_VARIABLE]: spec.marker },
    });
    const exited = new Promise<void>((resolve) => shim.once('exit', () => resolve()));
    await started(shim, python);
    return { ended: waitForEnd(shim, exited, spec), end: () => askToEnd(spec.folder) };
  } finally {
    await log.close();
  }
}

/** Asks the shim of an attempt to end its program, whoever started it. */
export async function askToEnd(folder: string): Promise<void> {
  await writeFile(join(folder, 'cancel'), '');
}

/** Who leads the attempt in a folder; `null` when its shim did not come to write it. */
export async function shimOf(folder: string): Promise<ProcessIdentity | null> {
  return readJsonOrNull(join(folder, 'shim.json'), ProcessIdentity);
}

/** How the attempt in a folder ended; `null` while it runs, or when its shim was killed. */
export async function exitOf(folder: string): Promise<ExitRecord | null> {
  return readJsonOrNull(join(folder, 'exit.json'), ExitRecord);
}

/** Ends whatever is left of an attempt whose shim is gone or must go, and writes the `exit.json` that it owes. */
export async function endByForce(spec: Pick<ShimSpec, 'folder' | 'marker'>, why: ForceReason = LOST): Promise<ExitRecord> {
  const shim = await shimOf(spec.folder);
  if (shim !== null) signalProcess(shim, 'SIGKILL');
  const stragglers = await endSurvivors({ marker: spec.marker, shim });
  const written = await exitOf(spec.folder);
  if (written !== null) return written;
  const exit: ExitRecord = {
    v: 1,
    ...why,
    exit_code: null,
    signal: 'SIGKILL',
    peak_memory_kib: null,
    cpu_ms: null,
    output_truncated: false,
    stragglers,
    ended_by: 'worker',
  };
  await writeJsonAtomic(join(spec.folder, 'exit.json'), exit);
  return exit;
}

/** Why a worker ends an attempt by force, as it enters `exit.json`. */
export interface ForceReason {
  /** `timeout` when its shim did not keep the limit, `lost` when the shim was killed. */
  readonly reason: 'timeout' | 'lost';
  readonly duration_ms: number;
}

const LOST: ForceReason = { reason: 'lost', duration_ms: 0 };

/** What the shim itself printed, for the message of a failure; empty when it is well. */
export async function shimLog(folder: string): Promise<string> {
  return ((await readPart(join(folder, 'shim.log'), { from: 'end', maxBytes: 2000 })) ?? '').trim();
}

async function waitForEnd(shim: ChildProcess, exited: Promise<void>, spec: ShimSpec): Promise<ExitRecord> {
  const begin = Date.now();
  let why: ForceReason = LOST;
  const limitMs = (spec.limits.time_s + spec.limits.grace_s) * 1000 + OVERDUE_MS;
  const watch = setInterval(() => {
    if (Date.now() - begin < limitMs) return;
    why = { reason: 'timeout', duration_ms: Date.now() - begin };
    shim.kill('SIGKILL');
  }, 5000);
  await exited;
  clearInterval(watch);
  return (await exitOf(spec.folder)) ?? (await endByForce(spec, why));
}

function started(shim: ChildProcess, python: string): Promise<void> {
  return new Promise((resolve, reject) => {
    shim.once('spawn', resolve);
    shim.once('error', (error) => reject(hasCode(error, 'ENOENT') ? noPython(python, error) : error));
  });
}

function noPython(python: string, cause: Error): PlatformFailure {
  return new PlatformFailure(
    'HostFailed',
    `The Python at ${python} cannot be started.`,
    'Run npm run setup, or set SCIENTIST_PYTHON.',
    {
      cause,
    },
  );
}
