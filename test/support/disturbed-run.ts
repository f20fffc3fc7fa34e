import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { signalProcess, type ProcessIdentity } from '../../src/adapters/process-identity.ts';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedger, readLedgers } from '../../src/adapters/ledger.ts';
import { shimOf } from '../../src/adapters/process-group.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { TIMING_FIELDS } from '../../src/domain/evaluation.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { auditLedger, ledgerAttempts, openAttempts, type LedgerAudit } from '../../src/domain/ledger.ts';
import { livingWorkers } from '../../src/workers/records.ts';
import { until } from './gate.ts';

/** What tests need that kill parts of a run of the real command and judge by the outcome. */

/** A config of the task `probe` for runs that are disturbed. */
export const DISTURBED_CONFIG = [
  'task: probe',
  'tasks_dir: experiments',
  'devices: cpu:2',
  'agent:',
  '  num_workers: 2',
  '  stages: {stage1_max_iters: 4, stage2_max_iters: 4, stage3_max_iters: 4, stage4_max_iters: 3}',
  '  multi_seed_eval: {num_seeds: 2}',
  '',
].join('\n');

/** The same with two stages, for faults that need only a few nodes before and after them. */
export const BRIEF_CONFIG = DISTURBED_CONFIG.replace(
  /stage2.*$/m,
  'stage2_max_iters: 3, stage3_max_iters: 0, stage4_max_iters: 0}',
);

/** Two drafts and nothing else, for trainings that take long. */
export const SHORT_CONFIG = [
  'task: probe',
  'tasks_dir: experiments',
  'devices: cpu:2',
  'agent:',
  '  num_workers: 2',
  '  search: {num_drafts: 2}',
  '  stages: {stage1_max_iters: 2, stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0}',
  '  multi_seed_eval: {num_seeds: 0}',
  'search: {all_datasets_from: 5}',
  '',
].join('\n');

/** SIGKILL to the process of a role, if it lives; whether it did. */
export async function killRole(home: string, role: RegExp): Promise<boolean> {
  const workers = await livingWorkers({ root: home });
  const identities = workers.filter((worker) => role.test(worker.role)).map(({ identity }) => identity);
  for (const identity of identities) signalProcess(identity, 'SIGKILL');
  return identities.length > 0;
}

/** Waits until a run has this many journal events. */
export async function untilEvents(home: string, runId: string, count: number): Promise<void> {
  const folder = join(home, 'runs', runId, 'journal');
  await until(() => existsSync(folder) && readdirSync(folder).filter((name) => name.endsWith('.json')).length >= count);
}

/** The journal of a run without what may depend on timing (P2). */
export async function comparableJournal(home: string, runId: string): Promise<JournalEvent[]> {
  const events = await readEvents({ root: home }, runId);
  return events.map((event) =>
    'evaluations' in event ? { ...event, evaluations: event.evaluations.map(withoutTiming) } : event,
  );
}

function withoutTiming<T extends { result: object }>(record: T): T {
  const kept = Object.entries(record.result).filter(([field]) => !TIMING_FIELDS.some((timing) => timing === field));
  return { ...record, result: Object.fromEntries(kept) };
}

/** SIGKILL to a device's worker while an evaluation runs on it; to the evaluation as well where `all` is set. */
export async function killBusyDevice(home: string, device: string, all = false): Promise<void> {
  const shim = await runningShim(home, device);
  if (all) signalProcess(shim, 'SIGKILL');
  await killRole(home, new RegExp(device));
}

/**
 * The shim of the evaluation that runs on a device; waits for one. What is killed before it leaves nothing that could
 * go on, and is made anew.
 */
export async function runningShim(home: string, device: string): Promise<ProcessIdentity> {
  for (;;) {
    const [open] = openAttempts((await readLedger({ root: home }, device)).lines);
    const shim =
      open === undefined ? null : await shimOf(runPaths({ root: home }, open.run).attempt(open.evaluation, open.attempt));
    if (shim !== null) return shim;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** For each attempt that was lost: from its start to the next start of the same evaluation, milliseconds. */
export async function recoveryTimes(home: string): Promise<number[]> {
  const attempts = ledgerAttempts((await readLedgers({ root: home })).lines);
  return attempts
    .filter(({ outcome }) => outcome === 'lost')
    .map(({ run, evaluation, startedAt }) => {
      const later = attempts.filter(
        (other) => other.run === run && other.evaluation === evaluation && other.startedAt > startedAt,
      );
      return Math.min(...later.map((other) => other.startedAt)) - startedAt;
    });
}

/** What the ledgers of a home prove. */
export async function audit(home: string): Promise<LedgerAudit> {
  const { lines } = await readLedgers({ root: home });
  return auditLedger(lines);
}
