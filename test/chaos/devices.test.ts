import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { signalProcess } from '../../src/adapters/process-identity.ts';
import { ledgerAttempts, type LedgerAttempt } from '../../src/domain/ledger.ts';
import { PROCESS_FAULTS } from '../../src/workers/faults/process-faults.ts';
import { livingWorkers } from '../../src/workers/records.ts';
import { FROZEN_MS } from '../../src/workers/service.ts';
import { newSlowHome, removeHome, runCommand, startCommand } from '../support/cli.ts';
import { audit, comparableJournal, runningShim, SHORT_CONFIG } from '../support/disturbed-run.ts';

/** How long an evaluation takes. */
const TRAINING_MS = 12_000;
/** The default of exec.heartbeat_timeout, within which a frozen worker must be replaced. */
const HEARTBEAT_TIMEOUT_MS = 60_000;
/** Kills the worker of a busy device and lets none in its place serve its queue. */
const GONE_DEVICE = PROCESS_FAULTS.find(({ name }) => name === 'gone_device');
const homes: string[] = [];

function newHome(ms: number, more = ''): string {
  const home = newSlowHome(ms);
  writeFileSync(join(home, 'config.yaml'), SHORT_CONFIG);
  appendFileSync(join(home, 'config.yaml'), more);
  homes.push(home);
  return home;
}

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

async function attempts(home: string): Promise<LedgerAttempt[]> {
  return ledgerAttempts((await readLedgers({ root: home })).lines);
}

/** Waits until an evaluation runs on a device. */
async function untilBusy(home: string, device: string): Promise<void> {
  await runningShim(home, device);
}

/** SIGSTOP to the workers of some roles. */
async function freeze(home: string, role: RegExp): Promise<number> {
  const workers = (await livingWorkers({ root: home })).filter((worker) => role.test(worker.role));
  return workers.filter(({ identity }) => signalProcess(identity, 'SIGSTOP')).length;
}

/** The journal of the same run when nothing happens to it. */
async function calmJournal(): Promise<unknown[]> {
  const home = newHome(1);
  expect(await runCommand(home, 'run', 'config.yaml', '--run-id', 'calm')).toMatchObject({ code: 0 });
  return valuesOf(home, 'calm');
}

/** What a journal says of the nodes; the programs of a slow home have other content than those of a fast one. */
async function valuesOf(home: string, runId: string): Promise<unknown[]> {
  const events = await comparableJournal(home, runId);
  return events.map((event) => (event.kind === 'node' ? [event.seq, event.node.id, event.node.status] : [event.seq, event.kind]));
}

describe('a run', { timeout: 400_000 }, () => {
  test('ends without help when device workers are frozen in the middle of an evaluation, and runs none twice', async () => {
    const home = newHome(TRAINING_MS);
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'frozen');
    await untilBusy(home, 'cpu0');
    expect(await freeze(home, /cpu0/)).toBe(1);
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    // Two drafts, and the figures of the better one: the frozen one was settled by the worker that came after.
    expect(await audit(home)).toMatchObject({ started: 3, finished: 3, doubled: [], overlaps: [], open: [] });
    const [frozen] = (await attempts(home)).filter(({ device }) => device === 'cpu0');
    const settledMs = (frozen?.deadAt ?? Infinity) - (frozen?.startedAt ?? 0);
    expect(settledMs).toBeGreaterThanOrEqual(FROZEN_MS);
    expect(settledMs).toBeLessThan(HEARTBEAT_TIMEOUT_MS + TRAINING_MS);
    expect(await valuesOf(home, 'frozen')).toEqual(await calmJournal());
  });

  test('goes on without help when the control and proposals workers are frozen', async () => {
    const home = newHome(TRAINING_MS);
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'headless');
    await untilBusy(home, 'cpu0');
    expect(await freeze(home, /control|proposals/)).toBe(2);
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    expect(await audit(home)).toMatchObject({ started: 3, finished: 3, doubled: [], overlaps: [], open: [] });
    expect(await valuesOf(home, 'headless')).toEqual(await calmJournal());
  });

  test('takes the work of a device whose worker is gone for good to another one, and its finished training with it', async () => {
    const home = newHome(TRAINING_MS, 'exec: {heartbeat_timeout: 10s}\n');
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'gone');
    await untilBusy(home, 'cpu0');
    await untilBusy(home, 'cpu1');
    const blow = await GONE_DEVICE?.strike({ home: { root: home }, runId: 'gone' });
    const [, device = ''] = /device-(\w+)/.exec(blow?.hits[0] ?? '') ?? [];
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);
    await blow?.release?.();
    expect(await audit(home)).toMatchObject({ started: 3, finished: 3, doubled: [], overlaps: [], open: [] });
    expect((await attempts(home)).filter((attempt) => attempt.device === device)).toHaveLength(1);
    expect(await valuesOf(home, 'gone')).toEqual(await calmJournal());
  });
});
