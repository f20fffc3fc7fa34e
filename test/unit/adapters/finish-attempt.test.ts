import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishAttempt, storedResult } from '../../../src/adapters/finish-attempt.ts';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import type { ExitRecord } from '../../../src/domain/attempt.ts';
import { AttemptRecord } from '../../../src/domain/attempt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const record = AttemptRecord.parse({
  v: 1,
  runId: 'r',
  evaluation: '0'.repeat(32),
  attempt: '2.1',
  device: 'cpu0',
  kind: 'measure',
  dataset: 'a',
  seed: 1,
  metric: { name: 'score', direction: 'maximize' },
  activity: null,
});

const exit = (change: Partial<ExitRecord> = {}): ExitRecord => ({
  v: 1,
  reason: null,
  exit_code: 0,
  signal: null,
  duration_ms: 12.5,
  peak_memory_kib: 1536,
  cpu_ms: 3,
  output_truncated: false,
  stragglers: 0,
  ended_by: 'shim',
  ...change,
});

function attempt(files: Readonly<Record<string, string>>): Home {
  const home = { root: temporaryFolder() };
  const folder = runPaths(home, 'r').attempt(record.evaluation, record.attempt);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return home;
}

test('the result is on disk, says where it comes from, and is the same when it is made again', async () => {
  const home = attempt({ 'results.jsonl': '{"metric": "score", "dataset": "a", "value": 0.5}\n' });
  const result = await finishAttempt(home, record, exit());
  expect(result).toEqual({
    status: 'finished',
    value: 0.5,
    evaluation: record.evaluation,
    attempt: '2.1',
    device: 'cpu0',
    durationMs: 12.5,
    peakMemoryMiB: 1.5,
    figures: 0,
    cached: false,
  });
  expect(await finishAttempt(home, record, exit())).toEqual(result);
  expect(JSON.parse(readFileSync(runPaths(home, 'r').result(record.evaluation), 'utf8'))).toEqual(result);
  expect(await storedResult(home, 'r', record.evaluation)).toEqual({ ...result, cached: true });
});

test('a failure keeps its exit code, and no more of the output than fits', async () => {
  const home = attempt({ 'output.log': `Traceback (most recent call last):\n  File "x"\nValueError: ${'ü'.repeat(9000)}` });
  const result = await finishAttempt(home, record, exit({ exit_code: 1 }));
  expect(result).toMatchObject({ status: 'failed', reason: 'exception', exitCode: 1, signal: null });
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(4096);
});

test('an attempt that was cancelled or lost has no result, and none is stored', async () => {
  const home = attempt({ 'results.jsonl': '{"metric": "score", "dataset": "a", "value": 0.5}\n' });
  for (const reason of ['cancelled', 'lost'] as const) {
    await expect(finishAttempt(home, record, exit({ reason }))).rejects.toBeInstanceOf(RangeError);
  }
  expect(await storedResult(home, 'r', record.evaluation)).toBeNull();
});

test('the checkpoint goes with the result, and stays as long as there is none', async () => {
  const home = attempt({ 'results.jsonl': '{"metric": "score", "dataset": "a", "value": 0.5}\n' });
  const folder = runPaths(home, 'r').checkpoint(record.evaluation);
  mkdirSync(folder);
  writeFileSync(`${folder}/weights`, 'w');
  await expect(finishAttempt(home, record, exit({ reason: 'lost' }))).rejects.toBeInstanceOf(RangeError);
  expect(existsSync(folder)).toBe(true);
  await finishAttempt(home, record, exit());
  expect(existsSync(folder)).toBe(false);
});

test('a damaged result is moved aside', async () => {
  const home = attempt({});
  const path = runPaths(home, 'r').result(record.evaluation);
  writeFileSync(path, '{');
  expect(await storedResult(home, 'r', record.evaluation)).toBeNull();
  expect([existsSync(path), existsSync(`${path}.damaged`)]).toEqual([false, true]);
});
