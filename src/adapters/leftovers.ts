import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AttemptRecord, ShimSpec, type ActivityAddress, type ExitRecord } from '../domain/attempt.ts';
import type { EvaluationResult } from '../domain/evaluation.ts';
import { openAttempts, type LedgerAttempt } from '../domain/ledger.ts';
import { orNull, readJsonOrNull } from './atomic-file.ts';
import { attemptPaths, removeTemporary, type AttemptPaths } from './attempt-folder.ts';
import { releaseClaim } from './claim.ts';
import { finishAttempt } from './finish-attempt.ts';
import { runPaths, type Home } from './layout.ts';
import { appendLedger, readLedger } from './ledger.ts';
import { askToEnd, endByForce, exitOf, shimOf } from './process-group.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { endSurvivors } from './process-tree.ts';

/**
 * What a killed device worker left: attempts that its ledger calls started and not dead. They are settled
 * before the device takes new work, so that it never runs two evaluations at once (P4), and so that an
 * evaluation which goes on or has finished meanwhile is not lost (P1).
 */

/** A program that is asked to end gets its grace period, but no more than this. */
const MAX_GRACE_MS = 60_000;
/** What the shim needs beyond the grace period to write down how it went. */
const SHIM_MARGIN_MS = 5000;
const POLL_MS = 50;
/** How often it is asked whether a training that goes on is still wanted. */
const ASK_MS = 1000;

/** An attempt that was found open, and what became of it. */
export interface Leftover {
  readonly run: string;
  readonly evaluation: string;
  readonly attempt: string;
  /** finished = its result was saved; lost = it was ended, and the evaluation runs again. */
  readonly outcome: 'finished' | 'lost';
  /** The result that was saved; `null` when it is lost. */
  readonly result: EvaluationResult | null;
  /** The activity that waits for it; `null` when that is not known. */
  readonly activity: ActivityAddress | null;
  /** The process that led it; `null` when none had begun. */
  readonly shim: ProcessIdentity | null;
}

/** Whether the result of an attempt that still runs is waited for; asked about once a second. */
export type IsWanted = (record: AttemptRecord, paths: AttemptPaths) => Promise<boolean>;

/**
 * Settles every open attempt of a device: a training that outlived its worker goes on to its end as long as
 * `isWanted`; then its result is saved, or it is ended and verified dead.
 */
export async function sweepLeftovers(home: Home, device: string, isWanted: IsWanted = unwanted): Promise<Leftover[]> {
  const { lines } = await readLedger(home, device);
  const settled: Leftover[] = [];
  for (const open of openAttempts(lines)) {
    const { result, activity, shim } = await settle(home, open, isWanted);
    const outcome = result === null ? 'lost' : 'finished';
    const { device: name, run, evaluation, attempt } = open;
    await appendLedger(home, { v: 1, event: 'dead', device: name, run, evaluation, attempt, at: Date.now(), outcome });
    settled.push({ run, evaluation, attempt, outcome, result, activity, shim });
  }
  return settled;
}

async function settle(
  home: Home,
  open: LedgerAttempt,
  isWanted: IsWanted,
): Promise<Pick<Leftover, 'result' | 'activity' | 'shim'>> {
  const paths = attemptPaths(runPaths(home, open.run).attempt(open.evaluation, open.attempt));
  if ((await orNull(stat(paths.root))) === null) {
    await endSurvivors({ marker: paths.root, shim: null });
    await removeTemporary(paths);
    return { result: null, activity: null, shim: null };
  }
  const record = await readJsonOrNull(paths.record, AttemptRecord);
  const shim = await shimOf(paths.root);
  if (record !== null) await adopt(paths, () => isWanted(record, paths));
  const exit = (await exitOf(paths.root)) ?? (await endLeftover(paths.root));
  const isResult = record !== null && exit.reason !== 'lost' && exit.reason !== 'cancelled';
  const result = isResult ? await finishAttempt(home, record, exit) : null;
  if (record !== null) await releaseClaim(home, record);
  await removeTemporary(paths);
  return { result, activity: record?.activity ?? null, shim };
}

const unwanted: IsWanted = () => Promise.resolve(false);

/** Stays beside an attempt that its shim still leads, until it has ended or nobody wants it any more. */
async function adopt(paths: AttemptPaths, isWanted: () => Promise<boolean>): Promise<void> {
  const shim = await shimOf(paths.root);
  let askedAt = -Infinity;
  while (shim !== null && isAlive(shim) && (await exitOf(paths.root)) === null) {
    if (performance.now() - askedAt >= ASK_MS) {
      if (!(await isWanted())) return;
      askedAt = performance.now();
    }
    await sleep(POLL_MS);
  }
}

/** Ends an attempt: by its own shim, so that the program can save a checkpoint, or by force when that is gone. */
async function endLeftover(folder: string): Promise<ExitRecord> {
  const spec = await readJsonOrNull(`${folder}/spec.json`, ShimSpec);
  const graceMs = Math.min((spec?.limits.grace_s ?? 0) * 1000, MAX_GRACE_MS);
  const shim = await shimOf(folder);
  if (shim !== null && isAlive(shim)) await askToEnd(folder);
  for (let waitedMs = 0; waitedMs < graceMs + SHIM_MARGIN_MS && shim !== null && isAlive(shim); waitedMs += POLL_MS)
    await sleep(POLL_MS);
  return endByForce({ folder, marker: folder });
}
