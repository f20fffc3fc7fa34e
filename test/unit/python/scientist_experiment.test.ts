import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT, pythonPath } from '../../../src/adapters/project.ts';
import { runProgram, type ProgramWish } from '../../support/experiment-programs.ts';
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
  expect(readFileSync(join(place, 'checkpoint', 'state.json'), 'utf8')).toBe('{"step": 3}');
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
