import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../src/adapters/task-file.ts';
import type { ParameterValue } from '../../../src/domain/experiment.ts';
import { ResultLine } from '../../../src/domain/evaluation.ts';
import { isRunning, says, until } from '../../support/evaluations.ts';
import {
  copyProbe,
  countingParameters,
  runProgram,
  startProgram,
  taskFolder,
  type ProgramWish,
} from '../../support/experiment-programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Every knob of the probe as a real process: engine tests stand on them. */

const folder = taskFolder('probe');
const task = await loadTask(folder);

function wish(changes: Record<string, ParameterValue> = {}, rest: Partial<ProgramWish> = {}): ProgramWish {
  return { folder, program: task.entry, parameters: countingParameters(task, changes), ...rest };
}

async function valueOf(changes: Record<string, ParameterValue>, rest: Partial<ProgramWish> = {}): Promise<number> {
  const { lines } = await runProgram(wish(changes, rest));
  return ResultLine.parse(JSON.parse(lines.at(-1) ?? '')).value;
}

describe('the score', () => {
  test('is reported once, for the dataset asked for', async () => {
    const end = await runProgram(wish({}, { dataset: 'b' }));
    expect(end.code).toBe(0);
    expect(end.lines.map((line) => ResultLine.parse(JSON.parse(line)))).toEqual([
      { metric: 'score', dataset: 'b', value: expect.any(Number) },
    ]);
  });

  test('is equal for equal seeds, differs little for others, and is better near the optimum', async () => {
    const [once, again, other, near] = await Promise.all([
      valueOf({}),
      valueOf({}),
      valueOf({}, { seed: 7 }),
      valueOf({ x: 0.2, y: 12, z: 'middle' }),
    ]);
    expect(again).toBe(once);
    expect(other).not.toBe(once);
    expect(Math.abs(other - once)).toBeLessThan(0.021);
    expect(near).toBeGreaterThan(once + 0.3);
  });

  test('a corner of the space raises an exception that names what is wrong', async () => {
    const end = await runProgram(wish({ x: 0.9, sharp: true }));
    expect(end.code).toBe(1);
    expect(end.output).toContain('ValueError: x must be at most 0.8 when sharp is on, got 0.9');
  });
});

describe('ways to end', () => {
  test.each([
    ['exception', { code: 1, lines: 0 }],
    ['exit_code', { code: 3, lines: 0 }],
    ['no_result', { code: 0, lines: 0 }],
    ['two_results', { code: 0, lines: 2 }],
  ])('%s', async (fail, expected) => {
    const { code, lines } = await runProgram(wish({ 'knob.fail': fail }));
    expect({ code, lines: lines.length }).toEqual(expected);
  });

  test.each([
    ['bad_result', '{"metric": "score", "value": NaN, "dataset": "a"}'],
    ['infinite_result', '{"metric": "score", "value": Infinity, "dataset": "a"}'],
    ['broken_line', '{"metric": "score", "val'],
  ])('%s reports what cannot be used', async (fail, line) => {
    expect((await runProgram(wish({ 'knob.fail': fail }))).lines).toEqual([line]);
  });

  test('unknown_metric and unknown_dataset report finite values under wrong names', async () => {
    const ends = await Promise.all(['unknown_metric', 'unknown_dataset'].map((fail) => runProgram(wish({ 'knob.fail': fail }))));
    const lines = ends.map((end) => ResultLine.parse(JSON.parse(end.lines[0] ?? '')));
    expect(lines.map(({ metric, dataset }) => [metric, dataset])).toEqual([
      ['other', 'a'],
      ['score', 'nowhere'],
    ]);
  });

  test('segfault dies of the signal', async () => {
    expect(await runProgram(wish({ 'knob.fail': 'segfault' }))).toMatchObject({ code: null, signal: 'SIGSEGV' });
  });

  test('hang ends by SIGTERM, ignore_sigterm only by SIGKILL', async () => {
    const ledgers = { hang: temporaryFolder(), ignore: temporaryFolder() };
    const hang = await startProgram(wish({ 'knob.fail': 'hang' }, { dataDir: ledgers.hang }));
    const ignore = await startProgram(wish({ 'knob.fail': 'ignore_sigterm', 'knob.steps': 1 }, { dataDir: ledgers.ignore }));
    await until(() => says(join(ledgers.hang, 'ledger.txt'), 'start') && says(join(ignore.place, 'results.jsonl'), 'score'));
    hang.kill('SIGTERM');
    ignore.kill('SIGTERM');
    expect((await hang.ended).signal).toBe('SIGTERM');
    expect(isRunning(ignore.pid)).toBe(true);
    ignore.kill('SIGKILL');
    expect((await ignore.ended).signal).toBe('SIGKILL');
  });

  test('hang_after_done has reported its final value when it hangs', async () => {
    const program = await startProgram(wish({ 'knob.fail': 'hang_after_done' }));
    await until(() => says(join(program.place, 'results.jsonl'), 'score'));
    expect(isRunning(program.pid)).toBe(true);
    program.kill('SIGKILL');
    await program.ended;
  });

  test('output, disk and memory go on until they are stopped', async () => {
    for (const fail of ['output', 'disk', 'memory']) {
      const program = await startProgram(wish({ 'knob.fail': fail }, { dataDir: temporaryFolder() }));
      setTimeout(() => program.kill('SIGKILL'), 150);
      expect((await program.ended).signal, fail).toBe('SIGKILL');
    }
  });

  test.each(['grandchild', 'setsid'])('%s leaves a child behind after a good end', async (fail) => {
    const end = await runProgram(wish({ 'knob.fail': fail }));
    const child = Number(readFileSync(join(end.place, 'out', 'children.txt'), 'utf8'));
    expect({ code: end.code, lines: end.lines.length, alive: isRunning(child) }).toEqual({ code: 0, lines: 1, alive: true });
    process.kill(child, 'SIGKILL');
  });
});

describe('knobs of size and time', () => {
  test('steps are reported as progress before the final value', async () => {
    const { lines } = await runProgram(wish({ 'knob.steps': 3, 'knob.duration_ms': 30 }));
    expect(lines.map((line) => ResultLine.parse(JSON.parse(line)).step)).toEqual([0, 1, 2, undefined]);
  });

  test('a second attempt goes on from the checkpoint of the first', async () => {
    const place = temporaryFolder();
    const first = await startProgram(wish({ 'knob.steps': 50, 'knob.duration_ms': 5000 }, { place }));
    await until(() => says(join(place, 'results.jsonl'), '"step": 2'));
    first.kill('SIGKILL');
    const before = (await first.ended).lines.length;
    const done = Number(readFileSync(join(place, 'checkpoint', 'step'), 'utf8'));
    const { lines } = await runProgram(wish({ 'knob.steps': 50, 'knob.duration_ms': 50 }, { place }));
    expect(done).toBeGreaterThanOrEqual(2);
    expect(lines.slice(before)).toHaveLength(50 - done + 1);
  });

  test('output_kib and memory_mib do what they say', async () => {
    const { output } = await runProgram(wish({ 'knob.output_kib': 16, 'knob.memory_mib': 8 }));
    expect(output.length).toBeGreaterThan(15_000);
    expect(output).toContain(`${8 * 1024 * 1024} bytes of ballast`);
  });
});

describe('the token of a device', () => {
  test('two programs at once: one runs, the other leaves with code 97', async () => {
    const dataDir = temporaryFolder();
    const first = await startProgram(wish({ 'knob.fail': 'hang' }, { dataDir }));
    await until(() => says(join(dataDir, 'ledger.txt'), 'start a 0 cpu0'));
    const second = await runProgram(wish({}, { dataDir, dataset: 'b' }));
    expect(second.code).toBe(97);
    first.kill('SIGKILL');
    await first.ended;
    expect((await runProgram(wish({}, { dataDir, dataset: 'c', seed: 5 }))).code).toBe(0);
    const words = readFileSync(join(dataDir, 'ledger.txt'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(0, 4).join(' '));
    expect(words).toEqual(['start a 0 cpu0', 'refused b 0 cpu0', 'start c 5 cpu0', 'end c 5 cpu0']);
  });

  test('a child that was left behind still holds the token', async () => {
    const dataDir = temporaryFolder();
    const end = await runProgram(wish({ 'knob.fail': 'setsid' }, { dataDir }));
    expect((await runProgram(wish({}, { dataDir }))).code).toBe(97);
    process.kill(Number(readFileSync(join(end.place, 'out', 'children.txt'), 'utf8')), 'SIGKILL');
  });
});

test('the plot program draws one small SVG file', async () => {
  const end = await runProgram(wish({}, { program: task.plot ?? '' }));
  expect({ code: end.code, out: end.out, lines: end.lines }).toEqual({ code: 0, out: ['point-a.svg'], lines: [] });
});

test('a copy of the probe has other defaults and knobs that may be turned', async () => {
  const copy = await copyProbe(temporaryFolder(), { defaults: { 'knob.duration_ms': 200 }, frozen: [] });
  expect([copy.components['knob.duration_ms']?.default, copy.frozen, task.frozen.length > 0]).toEqual([200, [], true]);
});
