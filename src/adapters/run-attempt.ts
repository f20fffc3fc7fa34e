import { mkdir, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ActivityAddress, AttemptRecord, ExitRecord, ShimSpec } from '../domain/attempt.ts';
import type { Device } from '../domain/device.ts';
import type { EvaluateInput, EvaluationResult } from '../domain/evaluation.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { EvaluationId } from '../domain/ids.ts';
import type { LedgerLine } from '../domain/ledger.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { bytesOf } from '../domain/size.ts';
import { attemptEnvironment } from './attempt-environment.ts';
import { makeAttemptFolder, removeTemporary, type AttemptPaths } from './attempt-folder.ts';
import { isShared } from './evaluation-cache.ts';
import { diskFull, isDiskFull } from './disk-space.ts';
import { finishAttempt, MAX_RESULTS_BYTES } from './finish-attempt.ts';
import { runPaths, type Home } from './layout.ts';
import { appendLedger } from './ledger.ts';
import { shimLog, startAttempt } from './process-group.ts';
import { MARKER_VARIABLE } from './process-tree.ts';
import type { Program } from './program.ts';
import { readResults } from './results-file.ts';

/** One attempt from its folder to its result: prepare, run under the shim, verify that it is dead, classify. */

/** An attempt that is about to be made. */
export interface AttemptJob {
  readonly home: Home;
  readonly device: Device;
  readonly run: ResolvedRun;
  readonly input: EvaluateInput;
  readonly program: Program;
  readonly evaluation: EvaluationId;
  /** `<dispatch>.<Temporal attempt>` */
  readonly attempt: string;
  /** Who asked for it; `null` when no workflow did. */
  readonly activity: ActivityAddress | null;
}

/** What an attempt is for, as `attempt.json` keeps it. */
export function recordOf(job: AttemptJob): AttemptRecord {
  const { runId, kind, dataset, seed } = job.input;
  const { evaluation, attempt, device, run, activity } = job;
  const { metric } = run.plan;
  const shared = isShared(run, job.input);
  return { v: 1, runId, evaluation, attempt, device: device.name, kind, dataset, seed, metric, activity, shared };
}

/**
 * Makes an attempt. Nothing of it is alive when this returns or throws, and its ledger says so.
 *
 * @returns the result, or `null` when `signal` ended it.
 * @throws PlatformFailure `HostFailed` when the machine failed it (its shim was killed), `DiskFull`.
 */
export async function runAttempt(job: AttemptJob, signal: AbortSignal): Promise<EvaluationResult | null> {
  if (signal.aborted) return null;
  const record = recordOf(job);
  const paths = await prepare(job, record);
  await appendLedger(job.home, ledgerLine(record));
  let outcome: Outcome = 'lost';
  try {
    const exit = await runToEnd(job, paths, signal);
    if (wasEndedBy(signal, exit)) {
      outcome = 'cancelled';
      return null;
    }
    await refuseBadMachine(exit, paths);
    const result = await finishAttempt(job.home, record, exit);
    outcome = 'finished';
    return result;
  } finally {
    await appendLedger(job.home, deadLine(record, outcome));
    await removeTemporary(paths);
  }
}

function wasEndedBy(signal: AbortSignal, exit: ExitRecord): boolean {
  return signal.aborted && exit.reason === 'cancelled';
}

type Outcome = Extract<LedgerLine, { event: 'dead' }>['outcome'];

/** The ledger's line for an attempt that is verified dead. */
export function deadLine(record: AttemptRecord, outcome: Outcome): LedgerLine {
  return { ...ledgerLine(record), event: 'dead', outcome };
}

function ledgerLine(record: AttemptRecord): Extract<LedgerLine, { event: 'started' }> {
  const { device, runId: run, evaluation, attempt } = record;
  return { v: 1, event: 'started', device, run, evaluation, attempt, at: Date.now() };
}

async function prepare(job: AttemptJob, record: AttemptRecord): Promise<AttemptPaths> {
  const folders = runPaths(job.home, record.runId);
  const paths = await makeAttemptFolder(folders.attempt(record.evaluation, record.attempt), job.program);
  await mkdir(folders.checkpoint(record.evaluation), { recursive: true });
  await writeFile(paths.record, JSON.stringify(record));
  return paths;
}

async function runToEnd(job: AttemptJob, paths: AttemptPaths, signal: AbortSignal): Promise<ExitRecord> {
  const running = await startAttempt(shimSpec(job, paths), job.run.environment.python);
  const end = (): void => void running.end();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await running.ended;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function refuseBadMachine(exit: ExitRecord, paths: AttemptPaths): Promise<void> {
  if (exit.reason === 'lost' || exit.reason === 'cancelled') {
    if (await isDiskFull(paths.root)) throw diskFull(paths.root);
    const said = await shimLog(paths.root);
    const why = `The process that led the attempt in ${paths.root} was ended from outside${said === '' ? '.' : `: ${said}`}`;
    throw new PlatformFailure('HostFailed', why, 'Nothing to do if it was on purpose: the evaluation is tried again.');
  }
  if ((await isDiskFull(paths.root)) && (await mayBeTheDisk(exit, paths))) throw diskFull(paths.root);
}

/** A program that passed a limit of its own is to blame for that; any other may have failed for want of space. */
async function mayBeTheDisk(exit: ExitRecord, paths: AttemptPaths): Promise<boolean> {
  if (exit.reason !== null && exit.reason !== 'timeout') return false;
  if (exit.exit_code !== 0) return true;
  return (await readResults(paths.results, MAX_RESULTS_BYTES)).finals.length === 0;
}

function shimSpec(job: AttemptJob, paths: AttemptPaths): ShimSpec {
  const { home, run, input } = job;
  const { exec } = run.config;
  const checkpoint = runPaths(home, input.runId).checkpoint(job.evaluation);
  const env = attemptEnvironment({ home, run, input, device: job.device, paths, checkpoint });
  return {
    folder: paths.root,
    cwd: paths.work,
    argv: argvOf(job, paths),
    env: { ...env, [MARKER_VARIABLE]: paths.root },
    marker: paths.root,
    disk_folders: [paths.work, paths.out, paths.temporary, checkpoint],
    limits: {
      time_s: exec.timeout / 1000,
      grace_s: exec.grace / 1000,
      memory_bytes: exec.memory === null ? null : bytesOf(exec.memory),
      output_bytes: bytesOf(exec.output),
      disk_bytes: bytesOf(exec.disk),
      files: exec.files,
    },
  };
}

/** Python programs run on the run's interpreter; anything else is started as it is. */
function argvOf({ run, input }: AttemptJob, paths: AttemptPaths): string[] {
  const name = input.kind === 'plot' ? run.task.plot : run.task.entry;
  if (name === undefined) {
    throw new PlatformFailure(
      'InvariantBroken',
      `The task ${run.task.name} names no plot program.`,
      'Add plot: to its task.yaml.',
    );
  }
  const path = join(paths.work, name);
  return extname(name) === '.py' ? [run.environment.python, path] : [path];
}
