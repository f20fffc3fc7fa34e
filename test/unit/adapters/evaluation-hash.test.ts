import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluationId, type EvaluationWork } from '../../../src/adapters/evaluation-hash.ts';
import { readProgramOf } from '../../../src/adapters/program.ts';
import type { ResolvedRun } from '../../../src/domain/resolved-run.ts';
import { readyRun } from '../../support/evaluations.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function work(): Promise<EvaluationWork> {
  const { home, run, input } = await readyRun({ program: 'value.py', parameters: { x: 0.75, y: 'b' } });
  const program = await readProgramOf(home, run, { v: 1, parameters: {}, files: {} });
  return { run, input, program, deviceKind: 'cpu' };
}

const changed = (run: ResolvedRun, change: (copy: ResolvedRun) => void): ResolvedRun => {
  const copy = structuredClone(run);
  change(copy);
  return copy;
};

test('equal work has one identity, in whatever run, node or dispatch it comes', async () => {
  const first = await work();
  const other = await work();
  const again = { ...other, input: { ...other.input, node: 'n9', dispatch: 7, stage: 'ablation_studies' } };
  expect(await evaluationId(again)).toBe(await evaluationId(first));
});

test.each<[string, (base: EvaluationWork) => EvaluationWork]>([
  [
    'a byte of the program',
    (base) => ({ ...base, program: { ...base.program, files: new Map([['value.py', Buffer.from('pass')]]) } }),
  ],
  ['a parameter', (base) => ({ ...base, program: { ...base.program, parameters: { ...base.program.parameters, x: 0.5 } } })],
  [
    'a parameter’s type',
    (base) => ({ ...base, program: { ...base.program, parameters: { ...base.program.parameters, x: '0.75' } } }),
  ],
  ['the dataset', (base) => ({ ...base, input: { ...base.input, dataset: 'b' } })],
  ['the seed', (base) => ({ ...base, input: { ...base.input, seed: 4 } })],
  ['the kind', (base) => ({ ...base, input: { ...base.input, kind: 'plot' } })],
  ['the kind of device', (base) => ({ ...base, deviceKind: 'gpu' })],
  ['the task', (base) => ({ ...base, run: changed(base.run, ({ task }) => (task.goal = 'another')) })],
  ['the time limit', (base) => ({ ...base, run: changed(base.run, ({ config }) => (config.exec.timeout += 1)) })],
  ['the memory limit', (base) => ({ ...base, run: changed(base.run, ({ config }) => (config.exec.memory = '1GiB')) })],
  ['the packages', (base) => ({ ...base, run: changed(base.run, ({ environment }) => (environment.packages = 'other')) })],
  ['the threads', (base) => ({ ...base, run: changed(base.run, ({ environment }) => (environment.threads += 1)) })],
])('%s changes the identity', async (_, change) => {
  const base = await work();
  expect(await evaluationId(change(base))).not.toBe(await evaluationId(base));
});

test('a data folder is part of the identity, by what lies in it', async () => {
  const base = await work();
  const withData = (dataDir: string) => ({
    ...base,
    run: changed(base.run, ({ environment }) => (environment.dataDir = dataDir)),
  });
  const [one, two] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(one, 'data.csv'), '1,2');
  writeFileSync(join(two, 'data.csv'), '1,2,3');
  const ids = await Promise.all([base, withData(one), withData(two)].map(evaluationId));
  expect(new Set(ids).size).toBe(3);
});
