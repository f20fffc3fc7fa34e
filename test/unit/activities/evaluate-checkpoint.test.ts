import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeEvaluate } from '../../../src/activities/evaluate.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { readLedgers } from '../../../src/adapters/ledger.ts';
import { sweepLeftovers } from '../../../src/adapters/leftovers.ts';
import { shimOf } from '../../../src/adapters/process-group.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { EvaluationProgress, EvaluationResult, ResultLine, type EvaluateInput } from '../../../src/domain/evaluation.ts';
import { auditLedger } from '../../../src/domain/ledger.ts';
import { attemptFolder, deviceNamed, isRunning, jobOf, says, until, type ReadyRun } from '../../support/evaluations.ts';
import { readyTaskRun } from '../../support/task-run.ts';

/** The shipped task `digits` trains a network in epochs; its worker and its program are killed in the middle of it. */

const WORKER = join(PACKAGE_ROOT, 'test', 'fixtures', 'evaluating-worker.ts');

const network = { 'model.family': 'mlp', 'features.scaler': 'standard', 'mlp.epochs': 20 };
const training = (parameters = network): Promise<ReadyRun> => readyTaskRun({ task: 'digits', parameters });

/** Makes the first attempt, on cpu0, until it has reported `step`; then nothing of it is alive. */
async function killedAtStep(ready: ReadyRun, step: number): Promise<number> {
  const folder = attemptFolder(await jobOf(ready));
  const file = join(ready.home.root, 'job.json');
  writeFileSync(file, JSON.stringify({ root: ready.home.root, input: ready.input, device: ready.device }));
  const worker = spawn(process.execPath, [WORKER, file], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await until(() => says(join(folder, 'results.jsonl'), `"step": ${step}`));
  const shim = (await shimOf(folder))?.pid ?? 0;
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGKILL');
  process.kill(shim, 'SIGKILL');
  await gone;
  await until(() => !isRunning(shim));
  return progressOf(ready, '1.1').length;
}

/** The next attempt, by the real activity. */
async function evaluated(ready: ReadyRun, next: { device: string; dispatch: number; attempt: number }) {
  const environment = new MockActivityEnvironment({ attempt: next.attempt }, { logger: new DefaultLogger('ERROR') });
  const steps: number[] = [];
  environment.on('heartbeat', (details: unknown) => {
    const { latest } = EvaluationProgress.parse(details);
    if (typeof latest?.step === 'number') steps.push(latest.step);
  });
  const evaluate = makeEvaluate({ home: ready.home, device: deviceNamed(next.device) });
  const input: EvaluateInput = { ...ready.input, dispatch: next.dispatch };
  return { result: EvaluationResult.parse(await environment.run(evaluate, input)), steps };
}

function progressOf(ready: ReadyRun, attempt: string): number[] {
  const [evaluation = ''] = readdirSync(runPaths(ready.home, ready.input.runId).evaluations);
  const folder = join(runPaths(ready.home, ready.input.runId).evaluations, evaluation, 'attempts', attempt);
  const lines = readFileSync(join(folder, 'results.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => ResultLine.parse(JSON.parse(line))).flatMap(({ step }) => (step === undefined ? [] : [step]));
}

let calm: Promise<{ value: number | null; steps: number }> | undefined;

/** The same training when nothing happens to it; made once. */
function undisturbed(): Promise<{ value: number | null; steps: number }> {
  calm ??= training().then(async (ready) => {
    const { result } = await evaluated(ready, { device: 'cpu0', dispatch: 1, attempt: 1 });
    return { value: result.status === 'finished' ? result.value : null, steps: progressOf(ready, '1.1').length };
  });
  return calm;
}

describe('a training that was killed with its worker', { timeout: 240_000 }, () => {
  test.each([
    ['on another device, which the stage dispatches it to', { device: 'cpu1', dispatch: 2, attempt: 1 }, '2.1'],
    ['on the same device, where it is tried again', { device: 'cpu0', dispatch: 1, attempt: 2 }, '1.2'],
  ])('goes on from its last epoch %s', async (_, next, attempt) => {
    const { value, steps: all } = await undisturbed();
    const ready = await training();
    const before = await killedAtStep(ready, 10);
    // What the next worker of cpu0 does before it polls.
    if (next.device === 'cpu0') await sweepLeftovers(ready.home, 'cpu0');
    const { result, steps } = await evaluated(ready, next);
    expect(result).toMatchObject({ status: 'finished', value, attempt, cached: false });
    const again = progressOf(ready, attempt);
    // The epoch that was saved last may have been killed before it was reported.
    expect(again[0]).toBeGreaterThanOrEqual(before);
    expect(before + again.length).toBeGreaterThanOrEqual(all - 1);
    expect(before + again.length).toBeLessThanOrEqual(all);
    expect(Math.min(...steps, Infinity)).toBeGreaterThanOrEqual(10);
    if (next.device !== 'cpu0') await sweepLeftovers(ready.home, 'cpu0');
    const { started, finished, overlaps, open } = auditLedger((await readLedgers(ready.home)).lines);
    expect({ started, finished, overlaps, open }).toEqual({ started: 2, finished: 1, overlaps: [], open: [] });
    expect(existsSync(runPaths(ready.home, ready.input.runId).checkpoint((await jobOf(ready)).evaluation))).toBe(false);
  });

  test('leaves its checkpoint to nobody else: other parameters begin anew', async () => {
    const ready = await training();
    await killedAtStep(ready, 10);
    const job = await jobOf(ready);
    const other = await readyTaskRun({
      task: 'digits',
      parameters: { ...network, 'mlp.epochs': 2 },
      home: ready.home,
    });
    expect((await jobOf(other)).evaluation).not.toBe(job.evaluation);
    const { result } = await evaluated(other, { device: 'cpu1', dispatch: 1, attempt: 1 });
    expect(result).toMatchObject({ status: 'finished', cached: false });
    const lines = readFileSync(join(attemptFolder(await jobOf(other)), 'results.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(3 * (2 + 1) + 1);
    expect(existsSync(runPaths(ready.home, ready.input.runId).checkpoint(job.evaluation))).toBe(true);
    await sweepLeftovers(ready.home, 'cpu0');
  });

  test('begins anew, and says so in its output, when its checkpoint was damaged meanwhile', async () => {
    const ready = await training();
    await killedAtStep(ready, 10);
    const job = await jobOf(ready);
    const file = join(runPaths(ready.home, ready.input.runId).checkpoint(job.evaluation), 'training.pickle');
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const { result } = await evaluated(ready, { device: 'cpu1', dispatch: 2, attempt: 1 });
    expect(result).toMatchObject({ status: 'finished', attempt: '2.1' });
    expect(progressOf(ready, '2.1')[0]).toBe(0);
    const output = readFileSync(join(attemptFolder({ ...job, attempt: '2.1' }), 'output.log'), 'utf8');
    expect(output).toContain('checkpoint training.pickle is damaged');
    await sweepLeftovers(ready.home, 'cpu0');
  });
});
