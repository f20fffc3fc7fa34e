import type { WorkflowHandle } from '@temporalio/client';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { readLedgers } from '../../../src/adapters/ledger.ts';
import { thisHost } from '../../../src/adapters/list-devices.ts';
import { isAlive, signalProcess } from '../../../src/adapters/process-identity.ts';
import { findSurvivors } from '../../../src/adapters/process-tree.ts';
import { chooseDevices, parseDeviceSpec } from '../../../src/domain/device-spec.ts';
import { ledgerAttempts, type LedgerAttempt } from '../../../src/domain/ledger.ts';
import { attach, type Attachment } from '../../../src/workers/hosting.ts';
import { launchWorker } from '../../../src/workers/launch.ts';
import { livingWorkers, readWorkerRecord, roleOf, type WorkerOrder } from '../../../src/workers/records.ts';
import { newSlowHome, removeHome } from '../../support/cli.ts';
import { audit, SHORT_CONFIG } from '../../support/disturbed-run.ts';
import { until } from '../../support/gate.ts';
import { rewrite } from '../../support/shell.ts';
import { startTemporalServer, type TemporalServer } from '../../support/temporal-server.ts';

/** What users of the platform reported, as behaviours of our real processes; test/architecture/reports.test.ts lists all. */

const PREFIX = 'reports-test.';
/** The default of exec.heartbeat_timeout. */
const HEARTBEAT_TIMEOUT_MS = 60_000;
/** The SDK gives up telling the server of a result after about ten. */
const AWAY_MS = 13_000;
const root = newSlowHome(4000, SHORT_CONFIG);
const home = { root };
const task = join(root, 'experiments', 'probe', 'task.yaml');
let server: TemporalServer;
let attachment: Attachment;

beforeAll(async () => {
  server = await startTemporalServer();
  vi.stubEnv('TEMPORAL_ADDRESS', server.address);
  const found = { gpus: [], cores: 2, notes: [] };
  const { devices } = chooseDevices(parseDeviceSpec('cpu:2'), found, { host: thisHost(), queuePrefix: PREFIX });
  attachment = await attach({ home, devices, queuePrefix: PREFIX, notify: () => undefined });
}, 120_000);

afterAll(async () => {
  await attachment.detach();
  vi.unstubAllEnvs();
  await removeHome(root);
  await server.close();
});

async function start(workflowId: string): Promise<WorkflowHandle> {
  return server.client.workflow.start('research', {
    workflowId,
    taskQueue: `${PREFIX}research`,
    args: [{ config: 'config.yaml' }],
  });
}

async function attemptsOf(run: string): Promise<LedgerAttempt[]> {
  return ledgerAttempts((await readLedgers(home)).lines).filter((attempt) => attempt.run === run);
}

/** Waits until both drafts of a run are being trained. */
async function untilTraining(run: string): Promise<LedgerAttempt[]> {
  await until(async () => (await attemptsOf(run)).length >= 2);
  return attemptsOf(run);
}

const folderOf = ({ run, evaluation, attempt }: LedgerAttempt): string => runPaths(home, run).attempt(evaluation, attempt);

describe('a result', { timeout: 120_000 }, () => {
  // sdk-rust#1252, sdk-rust#807
  test('that is there while the server is away for long is found and not computed again', async () => {
    const run = await start('away');
    const training = await untilTraining('away');
    await server.kill();
    const results = training.map(({ run: id, evaluation }) => runPaths(home, id).result(evaluation));
    await until(() => results.every((path) => existsSync(path)));
    const late = lateWorker();
    await sleep(AWAY_MS);
    expect((await readWorkerRecord(home, late.role))?.state).toBe('starting');
    await server.start();
    await run.result();
    const started = (await attemptsOf('away')).map(({ evaluation }) => evaluation);
    expect(new Set(started).size).toBe(started.length);
    expect(await audit(root)).toMatchObject({ doubled: [], overlaps: [], open: [] });
    await late.becomesReady();
  });
});

/** A worker that is started while the server is away. */
function lateWorker(): { role: string; becomesReady(): Promise<void> } {
  const address = { address: server.address, namespace: 'default', webUi: null, embedded: false };
  const order: WorkerOrder = { kind: 'proposals', server: address, queuePrefix: 'late.', device: null };
  const child = launchWorker(home, order);
  const role = roleOf(order);
  return {
    role,
    // sdk-typescript#344, #290
    becomesReady: async () => {
      await until(async () => (await readWorkerRecord(home, role))?.state === 'ready');
      expect(child.exitCode).toBeNull();
      child.kill('SIGTERM');
      await until(() => child.exitCode !== null || child.signalCode !== null);
    },
  };
}

describe('what runs for a run', { timeout: 120_000 }, () => {
  // sdk-typescript#2442, #1053
  test('is dead when the run closes after a cancel, long before a heartbeat time-out', async () => {
    rewrite(task, /default: 4000/, 'default: 100000');
    const run = await start('cancelled');
    const training = await untilTraining('cancelled');
    const began = performance.now();
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(HEARTBEAT_TIMEOUT_MS / 4);
    for (const attempt of training) expect(findSurvivors({ marker: folderOf(attempt), shim: null })).toEqual([]);
    expect((await attemptsOf('cancelled')).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  });

  // sdk-typescript#2266
  test('and ignores SIGTERM does not keep a worker that is told to end, which ends in time with nothing left behind', async () => {
    rewrite(task, /default: none/, 'default: ignore_sigterm');
    writeFileSync(join(root, 'config.yaml'), `${SHORT_CONFIG}exec: {grace: 1s}\n`);
    const run = await start('deaf');
    const [training] = await untilTraining('deaf');
    if (training === undefined) throw new Error('nothing runs');
    const worker = (await livingWorkers(home)).find(({ order }) => order.device?.name === training.device);
    if (worker === undefined) throw new Error('no worker');
    const began = performance.now();
    signalProcess(worker.identity, 'SIGTERM');
    await until(() => !isAlive(worker.identity));
    expect(performance.now() - began).toBeLessThan(HEARTBEAT_TIMEOUT_MS / 2);
    expect(findSurvivors({ marker: folderOf(training), shim: null })).toEqual([]);
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    expect((await audit(root)).open).toEqual([]);
  });
});
