import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT, pythonPath } from '../../../src/adapters/project.ts';
import { ResultLine } from '../../../src/domain/evaluation.ts';
import { says, until } from '../../support/evaluations.ts';
import { runProgram, startProgram, type ProgramWish } from '../../support/experiment-programs.ts';
import { z } from 'zod';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The helper of experiment programs, in real processes. */

const Said = z.strictObject({ seen: z.array(z.unknown()), drawn: z.number(), numpy: z.boolean(), before: z.unknown() });

const folder = join(PACKAGE_ROOT, 'test', 'fixtures', 'programs');
const wish = (program: string, rest: Partial<ProgramWish> = {}): ProgramWish => ({
  folder,
  program,
  parameters: { x: 1.5 },
  ...rest,
});

test('the helper gives the contract as values and seeds the generator of Python', async () => {
  const dataDir = temporaryFolder();
  const [end, again, other] = await Promise.all([
    runProgram(wish('use-helper.py', { seed: 7, dataDir })),
    runProgram(wish('use-helper.py', { seed: 7, dataDir })),
    runProgram(wish('use-helper.py', { seed: 8 })),
  ]);
  const said = [end, again, other].map(({ output }) => Said.parse(JSON.parse(output.split('\n')[0] ?? '')));
  expect(end.code).toBe(0);
  expect(said[0]).toMatchObject({ seen: ['a', 7, { x: 1.5 }, 'cpu0', 60, dataDir], numpy: false, before: 'nothing' });
  expect(said[2]?.seen[5]).toBeNull();
  expect([said[1]?.drawn === said[0]?.drawn, said[2]?.drawn === said[0]?.drawn]).toEqual([true, false]);
});

test('reports are one line each, progress with a step, and what is not finite stays visible', async () => {
  const { lines } = await runProgram(wish('use-helper.py'));
  expect(lines).toEqual([
    '{"metric": "score", "value": 0.25, "dataset": "a", "step": 0}',
    '{"metric": "score", "value": NaN, "dataset": "other"}',
    '{"metric": "score", "value": 1.0, "dataset": "a"}',
  ]);
});

test('figures are files of the output folder only', async () => {
  const { out, output } = await runProgram(wish('use-helper.py'));
  expect(out).toEqual(['a.svg']);
  expect(output).toContain('a figure is a .png or .svg file name without a folder');
});

test('what one attempt saves the next one loads, and nothing half-written stays', async () => {
  const place = temporaryFolder();
  await runProgram(wish('use-helper.py', { place }));
  const { output } = await runProgram(wish('use-helper.py', { place }));
  expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({ before: { step: 3 } });
  expect(readdirSync(join(place, 'checkpoint'))).toEqual(['state.json']);
  expect(readFileSync(join(place, 'checkpoint', 'state.json'), 'utf8')).toMatch(
    /^scientist-checkpoint-1 [0-9a-f]{64}\n\{"step": 3\}$/,
  );
});

describe('a training with a checkpoint per step', () => {
  const steps = (place: string, x = 60) => wish('steps.py', { place, seed: 4, parameters: { x } });
  const checkpoint = (place: string) => join(place, 'checkpoint', 'state.pickle');
  const stepsOf = (lines: readonly string[]) => lines.map((line) => ResultLine.parse(JSON.parse(line)).step);

  async function killedAtStep(place: string, step: number): Promise<number> {
    const program = await startProgram(steps(place));
    await until(() => says(join(place, 'results.jsonl'), `"step": ${step}`));
    program.kill('SIGKILL');
    return (await program.ended).lines.length;
  }

  test('goes on where it was killed, to the value that it would have had, and repeats one step at most', async () => {
    const [place, whole] = [temporaryFolder(), await runProgram(steps(temporaryFolder()))];
    const first = await killedAtStep(place, 5);
    const second = await killedAtStep(place, 20);
    const { lines, output } = await runProgram(steps(place));
    expect(output).toMatch(/^begins at step (2[0-9]|[3-5]\d)\n/);
    expect(lines.at(-1)).toBe(whole.lines.at(-1));
    expect(lines.length).toBeLessThanOrEqual(60 + 1 + 2);
    expect([first > 5, second > first + 10]).toEqual([true, true]);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one bit', (bytes) => bytes.map((byte, index) => (index === bytes.length - 9 ? byte ^ 1 : byte)) as Buffer],
    ['of another version', (bytes) => Buffer.from(bytes.toString('latin1').replace('checkpoint-1', 'checkpoint-2'), 'latin1')],
    ['not one at all', () => Buffer.from('weights')],
  ])('begins anew, says so and sets the checkpoint aside when it is %s', async (_, damage) => {
    const place = temporaryFolder();
    await killedAtStep(place, 5);
    const damaged = damage(readFileSync(checkpoint(place)));
    writeFileSync(checkpoint(place), damaged);
    writeFileSync(join(place, 'results.jsonl'), '');
    const { lines, output } = await runProgram(steps(place, 2));
    expect(output).toContain('checkpoint state.pickle is damaged: set aside as state.pickle.damaged');
    expect(output).toContain('begins at step 0');
    expect(stepsOf(lines)).toEqual([0, 1, undefined]);
    expect(readFileSync(`${checkpoint(place)}.damaged`)).toEqual(damaged);
  });

  test('does not see what a killed attempt left half-written beside the checkpoint', async () => {
    const place = temporaryFolder();
    await runProgram(steps(place, 3));
    writeFileSync(join(place, 'checkpoint', '.state.pickle.new'), 'half');
    const { output } = await runProgram(steps(place, 5));
    expect(output).toContain('begins at step 3');
    expect(readdirSync(join(place, 'checkpoint'))).toEqual(['state.pickle']);
  });

  test('is told of SIGTERM between two steps, and leaves after it has saved', async () => {
    const place = temporaryFolder();
    const program = await startProgram(steps(place, 10_000));
    await until(() => says(join(place, 'results.jsonl'), '"step": 3'));
    program.kill('SIGTERM');
    const { code, signal, output, lines } = await program.ended;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    const [, stopped] = /stops at step (\d+)/.exec(output) ?? [];
    expect(stepsOf(lines).at(-1)).toBe(Number(stopped) - 1);
    expect((await runProgram(steps(place, Number(stopped)))).output).toContain(`begins at step ${stopped}`);
  });
});

test('the example of the documentation trains, saves and goes on', async () => {
  const blocks = readFileSync(join(PACKAGE_ROOT, 'docs', 'experiments.md'), 'utf8').matchAll(/```python\n(.*?)```/gs);
  const example = [...blocks].map(([, code = '']) => code).find((code) => code.includes('load_bytes')) ?? '';
  const model = [
    'class Model:',
    '    loss = 1.0',
    '    def learn(self):',
    '        self.loss /= 2',
    '        return self.loss',
    '    def test(self):',
    '        return self.loss',
    'def build(parameters, seed):',
    '    return Model()',
    '',
  ].join('\n');
  const program = temporaryFolder();
  writeFileSync(join(program, 'example.py'), model + example);
  const place = temporaryFolder();
  const train = (epochs: number) =>
    runProgram({ folder: program, program: 'example.py', place, parameters: { 'train.epochs': epochs } });
  await train(2);
  const { lines, output } = await train(3);
  expect(output).toBe('');
  const values = lines.map((line) => ResultLine.parse(JSON.parse(line))).map(({ step, value }) => [step, value]);
  expect(values).toEqual([
    [0, 0.5],
    [1, 0.25],
    [undefined, 0.25],
    [2, 0.125],
    [undefined, 0.125],
  ]);
});

test('a checkpoint is a file of the checkpoint folder only', () => {
  const code = [
    'from scientist_experiment import Experiment',
    'exp = Experiment()',
    'for name in ("../a", "", ".hidden", "a/b"):',
    '    for call in (lambda: exp.save(name, 1), lambda: exp.load(name)):',
    '        try: call()',
    '        except ValueError as error: print(error)',
  ].join('\n');
  const place = temporaryFolder();
  writeFileSync(join(place, 'params.json'), '{}');
  const said = execFileSync(pythonPath(), ['-B', '-c', code], { env: variables(place), encoding: 'utf8' });
  expect(said.match(/a checkpoint is a file name without a folder/g)).toHaveLength(8);
});

test('numpy is seeded when it is imported before, or when asked after a late import', async () => {
  const early = await runProgram(wish('use-helper-numpy.py', { seed: 5 }));
  const late = spawnSync(pythonPath(), ['-B', join(folder, 'use-helper-numpy.py'), 'late'], {
    env: variables(early.place),
    encoding: 'utf8',
  });
  expect(late.stderr).toBe('');
  const [first, second] = readFileSync(join(early.place, 'results.jsonl'), 'utf8').trim().split('\n');
  expect(second).toBe(first);
});

test('importing the helper needs the standard library alone', () => {
  const code =
    'import sys; before = set(sys.modules); import scientist_experiment; print(any("site-packages" in (getattr(m, "__file__", "") or "") for m in sys.modules.values()))';
  const env = { PATH: '/usr/bin:/bin', PYTHONPATH: join(PACKAGE_ROOT, 'python') };
  expect(execFileSync(pythonPath(), ['-S', '-B', '-c', code], { env, encoding: 'utf8' }).trim()).toBe('False');
});

test('a program started by hand is told which variable is missing and where they are listed', () => {
  const env = { PATH: '/usr/bin:/bin', PYTHONPATH: join(PACKAGE_ROOT, 'python') };
  const { status, stderr } = spawnSync(pythonPath(), ['-B', join(folder, 'use-helper.py')], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('SCIENTIST_DATASET is not set');
  expect(stderr).toContain('scientist_experiment.py');
});

function variables(place: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/bin:/bin',
    PYTHONPATH: join(PACKAGE_ROOT, 'python'),
    SCIENTIST_DATASET: 'a',
    SCIENTIST_SEED: '5',
    SCIENTIST_PARAMS: join(place, 'params.json'),
    SCIENTIST_RESULTS: join(place, 'results.jsonl'),
    SCIENTIST_OUT: join(place, 'out'),
    SCIENTIST_CHECKPOINT: join(place, 'checkpoint'),
    SCIENTIST_DEVICE: 'cpu0',
    SCIENTIST_TIME_LIMIT_S: '60',
  };
}
