import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeEvaluate } from '../../../src/activities/evaluate.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { readLedgers } from '../../../src/adapters/ledger.ts';
import { findSurvivors } from '../../../src/adapters/process-tree.ts';
import { EvaluationProgress, EvaluationResult, type EvaluateInput } from '../../../src/domain/evaluation.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { attemptFolder, deviceNamed, jobOf, readyRun, says, until, type ReadyRun } from '../../support/evaluations.ts';
import { containing } from '../../support/matchers.ts';

/** The activity as a worker runs it: in an activity context, with a real program under it. */

/** Failures are expected here; the context would print each. */
const quiet = { logger: new DefaultLogger('ERROR') };

interface Call {
  readonly input?: unknown;
  readonly device?: string;
  readonly attempt?: number;
}

function call({ home, input, device }: ReadyRun, change: Call = {}) {
  const environment = new MockActivityEnvironment({ attempt: change.attempt ?? 1 }, quiet);
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => beats.push(details));
  const evaluate = makeEvaluate({ home, device: change.device === undefined ? device : deviceNamed(change.device) });
  const result = environment.run(evaluate, (change.input ?? input) as EvaluateInput);
  return { environment, beats, result: result as Promise<EvaluationResult> };
}

async function audit({ home }: ReadyRun) {
  const { started, finished, open, overlaps, doubled } = auditLedger((await readLedgers(home)).lines);
  return { started, finished, open: open.length, overlaps: overlaps.length, doubled: doubled.length };
}

test('an evaluation gives a small result, stored for good, and beats with the value it reported', async () => {
  const ready = await readyRun({ program: 'value.py', parameters: { x: 0.75 } });
  const { result, beats } = call(ready);
  const value = EvaluationResult.parse(await result);
  expect(value).toMatchObject({ status: 'finished', value: 0.75, cached: false });
  expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThan(4096);
  const stored = runPaths(ready.home, ready.run.plan.runId).result((await jobOf(ready)).evaluation);
  expect(JSON.parse(readFileSync(stored, 'utf8'))).toEqual(value);
  expect(beats.map((beat) => EvaluationProgress.parse(beat).attempt)).toContain('1.1');
});

test('an evaluation that has a result is answered with it, and nothing runs', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const first = await call(ready).result;
  const again = await call(ready, { attempt: 2, device: 'cpu1', input: { ...ready.input, dispatch: 2, node: 'n9' } }).result;
  expect(again).toEqual({ ...first, cached: true });
  expect(await audit(ready)).toEqual({ started: 1, finished: 1, open: 0, overlaps: 0, doubled: 0 });
});

test('a failed experiment is a result too, and is not tried again', async () => {
  const ready = await readyRun({ program: 'raise.py' });
  await call(ready).result;
  expect(await call(ready).result).toMatchObject({ status: 'failed', reason: 'exception', cached: true });
});

test('another seed is another evaluation', async () => {
  const ready = await readyRun({ program: 'value.py' });
  await call(ready).result;
  await call(ready, { input: { ...ready.input, seed: 4 } }).result;
  expect(await audit(ready)).toMatchObject({ started: 2, finished: 2, doubled: 0 });
});

test('a damaged result is put aside, and the evaluation runs again', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const path = runPaths(ready.home, ready.run.plan.runId).result((await jobOf(ready)).evaluation);
  await call(ready).result;
  writeFileSync(path, '{"status": "finis');
  expect(await call(ready, { attempt: 2 }).result).toMatchObject({ status: 'finished', attempt: '1.2', cached: false });
  expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('{"status": "finis');
});

test('progress reaches the heartbeat while the program runs, and a cancellation ends all of it', async () => {
  const ready = await readyRun({ program: 'family.py', exec: { grace: 100 } });
  const folder = attemptFolder(await jobOf(ready));
  const { environment, beats, result } = call(ready);
  await until(() => says(join(folder, 'output.log'), 'all here'));
  writeFileSync(join(folder, 'results.jsonl'), '{"metric": "score", "dataset": "a", "value": 0.25, "step": 7}\n');
  await until(() => beats.some((beat) => EvaluationProgress.parse(beat).latest?.step === 7));
  environment.cancel('CANCELLED');
  await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  expect(findSurvivors({ marker: folder, shim: null })).toEqual([]);
  expect(existsSync(join(folder, '..', '..', 'result.json'))).toBe(false);
  const beaten = beats.length;
  await sleep(1200);
  expect(beats.length).toBe(beaten);
  expect(await audit(ready)).toEqual({ started: 1, finished: 0, open: 0, overlaps: 0, doubled: 0 });
});

test('the same evaluation asked for on two devices at once runs once, and both get its result', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const results = await Promise.all([call(ready).result, call(ready, { device: 'cpu1' }).result]);
  expect(results.map(({ cached }) => cached).sort()).toEqual([false, true]);
  expect(await audit(ready)).toEqual({ started: 1, finished: 1, open: 0, overlaps: 0, doubled: 0 });
});

test('an evaluation that another device is at can be cancelled while it waits', async () => {
  const ready = await readyRun({ program: 'stubborn.py', exec: { grace: 100 } });
  const folder = attemptFolder(await jobOf(ready));
  const first = call(ready);
  await until(() => says(join(folder, 'output.log'), 'deaf'));
  const second = call(ready, { device: 'cpu1' });
  await until(() => second.beats.length > 0);
  second.environment.cancel('CANCELLED');
  await expect(second.result).rejects.toBeInstanceOf(CancelledFailure);
  expect((await audit(ready)).open).toBe(1);
  first.environment.cancel('CANCELLED');
  await expect(first.result).rejects.toBeInstanceOf(CancelledFailure);
});

test('input that does not fit is refused for good, with the place', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const { result } = call(ready, { input: { ...ready.input, seed: -1 } });
  await expect(result).rejects.toMatchObject({
    type: 'InvariantBroken',
    nonRetryable: true,
    message: containing('seed'),
  });
});

test('a missing run is refused for good, and the next evaluation of the worker goes well', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const environment = new MockActivityEnvironment({}, quiet);
  const evaluate = makeEvaluate(ready);
  const missing = environment.run(evaluate, { ...ready.input, runId: 'no-such-run' } as EvaluateInput);
  await expect(missing).rejects.toMatchObject({ type: 'ArtifactMissing', nonRetryable: true });
  expect(await environment.run(evaluate, ready.input)).toMatchObject({ status: 'finished' });
});

test('a machine that cannot start Python is worth another try', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const { runFile } = runPaths(ready.home, ready.run.plan.runId);
  const run = { ...ready.run, environment: { ...ready.run.environment, python: '/nowhere/python' } };
  writeFileSync(runFile, JSON.stringify(run));
  await expect(call(ready).result).rejects.toMatchObject({ type: 'HostFailed', nonRetryable: false });
});
