import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluationId, type EvaluationWork } from '../../../src/adapters/evaluation-hash.ts';
import { readProgramOf } from '../../../src/adapters/program.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { NodeId, RunId } from '../../../src/domain/ids.ts';
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
  const again = {
    ...other,
    input: { ...other.input, node: NodeId.parse('n9'), dispatch: 7, stage: 'ablation_studies' as const },
  };
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
  ['the grace period', (base) => ({ ...base, run: changed(base.run, ({ config }) => (config.exec.grace += 1)) })],
  ['the output limit', (base) => ({ ...base, run: changed(base.run, ({ config }) => (config.exec.output = '1MiB')) })],
  ['the disk limit', (base) => ({ ...base, run: changed(base.run, ({ config }) => (config.exec.disk = '1MiB')) })],
  ['the tier', (base) => ({ ...base, run: changed(base.run, ({ config }) => Object.assign(config.exec, { sandbox: 'other' })) })],
  ['a component of the task', (base) => ({ ...base, run: changed(base.run, ({ task }) => delete task.components['x']) })],
  ['the metric', (base) => ({ ...base, run: changed(base.run, ({ task }) => (task.metric.direction = 'minimize')) })],
  [
    'the version of Python',
    (base) => ({ ...base, run: changed(base.run, ({ environment }) => (environment.pythonVersion = '3.99')) }),
  ],
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

test('the helper that programs import is part of the identity', async () => {
  const base = await work();
  const copy = join(temporaryFolder(), 'scientist_experiment.py');
  copyFileSync(join(PACKAGE_ROOT, 'python', 'scientist_experiment.py'), copy);
  const shipped = await evaluationId(base);
  expect(await evaluationId({ ...base, helper: copy })).toBe(shipped);
  appendFileSync(copy, '\n');
  expect(await evaluationId({ ...base, helper: copy })).not.toBe(shipped);
});

test('what cannot change a result is no part of it: the run, the device, the search, what is shared', async () => {
  const base = await work();
  const other = changed(base.run, ({ plan, config }) => {
    plan.runId = RunId.parse('another');
    plan.seed += 1;
    config.cache = 'project';
    config.devices = 'cpu:7';
    config.exec.max_dispatches += 1;
    config.exec.heartbeat_timeout += 1;
  });
  expect(await evaluationId({ ...base, run: other })).toBe(await evaluationId(base));
});

test('with cache: off the node and its stage count, and still not the dispatch', async () => {
  const base = await work();
  const off = { ...base, run: changed(base.run, ({ config }) => (config.cache = 'off')) };
  const as = (change: object) => evaluationId({ ...off, input: { ...off.input, ...change } });
  const ids = await Promise.all([as({}), as({ node: 'n9' }), as({ stage: 'ablation_studies' }), evaluationId(base)]);
  expect(new Set(ids).size).toBe(4);
  expect(await as({ dispatch: 7 })).toBe(ids[0]);
});

test('a run of release 0.1.0 keeps the identities that it has', async () => {
  // Computed by that release for this program; a change of it makes every run in progress begin anew.
  const base = await work();
  const fixed = { ...base, program: { ...base.program, files: new Map() }, helper: '/nowhere' };
  expect(await evaluationId(fixed)).toBe('707f1c55a73aa962217856319c02bc0b');
});
