import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, signalProcess, type ProcessIdentity } from '../adapters/process-identity.ts';
import type { RoleLog } from './log.ts';
import { afterLook, type Silence } from '../domain/silence.ts';
import { toProblem, type Problem, type ServiceView } from './records.ts';

/**
 * One process that is kept alive: found where an earlier supervisor left it, else started; started again
 * with growing pauses when it ends; stopped in order. It is only ever signalled by its identity.
 */

/** What a service is. */
export interface ServiceSpec {
  readonly role: string;
  /** The living process of this role, from its record; `null` when there is none. */
  find(): Promise<ProcessIdentity | null>;
  /** Starts it. */
  start(): Promise<ChildProcess>;
  /** Why the last process ended by its own account; `null` when it did not say. */
  problem(): Promise<Problem | null>;
  /** A sign of life, another one each few seconds while the process works; `null` before its first. Without it nobody looks. */
  sign?(identity: ProcessIdentity): Promise<string | null>;
  /** How long it may take to end after SIGTERM before SIGKILL, milliseconds. */
  readonly stopMs: number;
}

/** A service under supervision. */
export interface Service {
  /** Looks after it once: cheap while it lives. Calls must not overlap. */
  tend(now: number): Promise<void>;
  /** Ends it; it is not started again. */
  stop(): Promise<void>;
  view(): ServiceView;
}

/** Pauses before a start, by the number of ends in a row; the last one repeats. */
const BACK_OFF_MS = [0, 200, 500, 1000, 2000, 5000, 10_000];
/** A process that lived this long is healthy: the count of ends in a row starts again. */
const HEALTHY_MS = 30_000;
const KILLED_MS = 3000;
/** A process without a sign of life for this long is frozen (stopped, or in an endless loop) and killed. */
export const FROZEN_MS = 45_000;
/** One that has not given its first sign may still be loading, on a busy machine. */
const LOADING_MS = 180_000;
const SIGN_EVERY_MS = 1500;
/** The supervisor's own pauses count for no more than this: a machine that sleeps makes nobody silent. */
const MAX_STEP_MS = 4000;

/** Whether a process that is alive does nothing any more. */
export function isFrozen({ sign, silentMs }: Silence): boolean {
  return silentMs >= (sign === null ? LOADING_MS : FROZEN_MS);
}

/** Puts a service under supervision; nothing happens before the first `tend`. `wake` is called when its process ends. */
export function superviseService(spec: ServiceSpec, log: RoleLog, wake: () => void): Service {
  let running: RunningProcess | null = null;
  let view: ServiceView = { role: spec.role, restarts: 0, failures: 0, problem: null };
  let notBefore = 0;
  let isFirst = true;

  const ended = async (now: number) => {
    running = null;
    view = { ...view, failures: view.failures + 1, problem: await spec.problem() };
    notBefore = now + (BACK_OFF_MS[view.failures] ?? BACK_OFF_MS.at(-1) ?? 0);
    log.warn(`${spec.role} has ended${view.problem === null ? '' : `: ${view.problem.message}`}`);
  };
  const started = (identity: ProcessIdentity, now: number, how: string) => {
    running = { identity, since: now };
    if (!isFirst) view = { ...view, restarts: view.restarts + 1 };
    isFirst = false;
    log.info(`${spec.role} ${how} as process ${identity.pid}`);
  };
  const begin = async (now: number) => {
    const found = await spec.find();
    if (found !== null) {
      started(found, now, 'was found');
      return;
    }
    try {
      const child = await spec.start();
      child.on('exit', wake);
      child.on('error', (error) => log.error(`${spec.role}: ${error.message}`));
      const identity = child.pid === undefined ? null : identityOf(child.pid);
      if (identity === null) throw new Error(`${spec.role} could not be started`);
      started(identity, now, 'was started');
    } catch (error) {
      await ended(now);
      view = { ...view, problem: toProblem(error) };
    }
  };
  return {
    view: () => view,
    async tend(now) {
      if (running !== null && isAlive(running.identity)) {
        await killIfFrozen(spec, log, { running, now });
        if (view.failures > 0 && now - running.since > HEALTHY_MS) view = { ...view, failures: 0, problem: null };
        return;
      }
      if (running !== null) await ended(now);
      if (now >= notBefore) await begin(now);
    },
    async stop() {
      const identity = running?.identity ?? (await spec.find());
      if (identity !== null) await endProcess(identity, spec.stopMs);
    },
  };
}

interface RunningProcess {
  readonly identity: ProcessIdentity;
  readonly since: number;
  silence?: Silence;
}

/** Looks for a sign of life now and then, and kills a process that gave none for too long. */
async function killIfFrozen(
  spec: ServiceSpec,
  log: RoleLog,
  { running, now }: { running: RunningProcess; now: number },
): Promise<void> {
  if (spec.sign === undefined || now - (running.silence?.lookedAt ?? -Infinity) < SIGN_EVERY_MS) return;
  running.silence = afterLook(running.silence, { sign: await spec.sign(running.identity), now, maxStepMs: MAX_STEP_MS });
  if (!isFrozen(running.silence)) return;
  log.warn(`${spec.role} shows no sign of life: killed`);
  signalProcess(running.identity, 'SIGKILL');
}

/** Ends a process: SIGTERM, then SIGKILL after `stopMs`. Returns when it is gone, or cannot be ended. */
export async function endProcess(identity: ProcessIdentity, stopMs: number): Promise<void> {
  signalProcess(identity, 'SIGTERM');
  if (await isGoneWithin(identity, stopMs)) return;
  signalProcess(identity, 'SIGKILL');
  await isGoneWithin(identity, KILLED_MS);
}

async function isGoneWithin(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (isAlive(identity)) {
    if (performance.now() > end) return false;
    await sleep(30);
  }
  return true;
}
