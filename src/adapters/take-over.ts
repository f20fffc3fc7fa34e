import { stat } from 'node:fs/promises';
import { AttemptRecord, ShimSpec } from '../domain/attempt.ts';
import { orNull, readJsonOrNull } from './atomic-file.ts';
import { attemptPaths, removeTemporary, type AttemptPaths } from './attempt-folder.ts';
import { holderOf, releaseClaim, type Claim } from './claim.ts';
import { finishAttempt } from './finish-attempt.ts';
import { runPaths, type Home } from './layout.ts';
import { appendLedger } from './ledger.ts';
import { endByForce, exitOf, shimOf } from './process-group.ts';
import { isAlive, ownIdentity } from './process-identity.ts';
import { deadLine } from './run-attempt.ts';

/**
 * Waiting for another device's attempt at the same evaluation, and taking it over when its worker does not
 * bring it to its end: a worker that is frozen holds its claim for ever.
 *
 * O1 While the attempt's shim lives it is waited for, but no longer than its limits allow.
 * O2 What has ended is settled from its files, as its own worker would have done; that worker may wake up and
 *    do the same again, with the same result. What may still be about to start is left alone while its worker lives.
 * O3 Only on the same boot of the same machine: of any other nothing can be known for certain.
 */

/** A worker that works settles an attempt that has ended in less; a frozen one never does. */
const SETTLE_MS = 10_000;
/** An attempt that is this much behind its own limits has a shim that was stopped, or hangs. */
const OVERDUE_MS = 60_000;

/** What is seen of an attempt that another device has claimed. */
export interface SeenAttempt {
  readonly isWorkerAlive: boolean;
  readonly isShimAlive: boolean;
  /** Whether its `exit.json` is there: nothing of it is alive. */
  readonly hasEnded: boolean;
  /** For how long all this was seen without a change, milliseconds. */
  readonly forMs: number;
  /** What the attempt may take, its grace included, milliseconds; `null` when it is not known. */
  readonly limitMs: number | null;
}

/** What to do about an attempt that is waited for. */
export function judgeAttempt(seen: SeenAttempt): 'wait' | 'settle' {
  const { isWorkerAlive, isShimAlive, hasEnded, forMs, limitMs } = seen;
  if (!isWorkerAlive && (hasEnded || !isShimAlive)) return 'settle';
  if (hasEnded) return forMs >= SETTLE_MS ? 'settle' : 'wait';
  return limitMs !== null && forMs >= limitMs + OVERDUE_MS ? 'settle' : 'wait';
}

/** Looks at the attempt that holds an evaluation each time it is called, and takes it over when it must be. */
export type TakeOver = (now: number) => Promise<void>;

/** A watch on who holds the evaluation of an attempt of ours. */
export function takeOverWatch(home: Home, ours: AttemptRecord): TakeOver {
  let since = 0;
  let before = '';
  return async (now) => {
    const held = await holderOf(home, ours);
    // What our own device left was settled before it took this work.
    if (held === null || held.device === ours.device || held.worker.bootId !== ownIdentity().bootId) return;
    const paths = attemptPaths(runPaths(home, ours.runId).attempt(ours.evaluation, held.attempt));
    const state = await stateOf(paths.root, held);
    const key = JSON.stringify([held, state]);
    if (key !== before) [before, since] = [key, now];
    if (judgeAttempt({ ...state, forMs: now - since }) === 'wait') return;
    await settle(home, { ...ours, device: held.device, attempt: held.attempt }, { paths, state });
  };
}

async function stateOf(folder: string, { worker }: Claim): Promise<Omit<SeenAttempt, 'forMs'>> {
  const shim = await shimOf(folder);
  const spec = await readJsonOrNull(`${folder}/spec.json`, ShimSpec);
  return {
    isWorkerAlive: isAlive(worker),
    isShimAlive: shim !== null && isAlive(shim),
    hasEnded: (await exitOf(folder)) !== null,
    limitMs: spec === null ? null : (spec.limits.time_s + spec.limits.grace_s) * 1000,
  };
}

/** Brings another worker's attempt to its end: result, ledger, claim. Nothing of it is alive afterwards. */
async function settle(
  home: Home,
  abandoned: AttemptRecord,
  { paths, state }: { paths: AttemptPaths; state: Omit<SeenAttempt, 'forMs'> },
): Promise<void> {
  const record = (await readJsonOrNull(paths.record, AttemptRecord)) ?? abandoned;
  if ((await orNull(stat(paths.root))) !== null) {
    const isOverdue = state.isShimAlive && !state.hasEnded;
    const why = isOverdue ? ({ reason: 'timeout', duration_ms: state.limitMs ?? 0 } as const) : undefined;
    const exit = await endByForce({ folder: paths.root, marker: paths.root }, why);
    const outcome = exit.reason === 'lost' || exit.reason === 'cancelled' ? exit.reason : 'finished';
    if (outcome === 'finished') await finishAttempt(home, record, exit);
    await appendLedger(home, deadLine(record, outcome));
    await removeTemporary(paths);
  }
  await releaseClaim(home, abandoned);
}
