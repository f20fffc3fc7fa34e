import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putExperiment } from '../../../src/adapters/artifact-store.ts';
import { writeBestProgram } from '../../../src/adapters/best-program.ts';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { pythonPath } from '../../../src/adapters/project.ts';
import type { Experiment } from '../../../src/domain/experiment.ts';
import type { ResolvedRun } from '../../../src/domain/resolved-run.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { storeRun, temporaryHome } from '../../support/stored-run.ts';

const example = exampleReportInput();
const run: ResolvedRun = { ...example.run, environment: { ...example.run.environment, python: pythonPath() } };
const parameters = { 'model.family': 'svc', 'model.c': 10 };

async function keep(home: Home, experiment: Pick<Experiment, 'parameters'>, seed = 7): Promise<string> {
  const ref = await putExperiment(home, run.plan.runId, { v: 1, files: {}, ...experiment });
  await writeBestProgram(home, run, { experiment: ref, title: 'n10 is the best.', dataset: 'digits', seed });
  return runPaths(home, run.plan.runId).best;
}

describe('the best program', () => {
  it('lies complete in its folder: files, active parameters, helper and how to run it', async () => {
    const home = await temporaryHome();
    await storeRun(home, { ...example, run });
    const folder = await keep(home, { parameters });
    expect((await readdir(folder)).sort()).toEqual([
      'README.md',
      'parameters.json',
      'plot.py',
      'scientist_experiment.py',
      'train.py',
    ]);
    expect(JSON.parse(await readFile(join(folder, 'parameters.json'), 'utf8'))).toEqual({
      'features.reduction': 'none',
      'features.scaler': 'none',
      'model.c': 10,
      'model.family': 'svc',
      'train.augment': false,
    });
  });

  it('runs by the line that its README gives', async () => {
    const home = await temporaryHome();
    await storeRun(home, { ...example, run });
    const folder = await keep(home, { parameters });
    const command = /```sh\n([^]*?)```/.exec(await readFile(join(folder, 'README.md'), 'utf8'))?.[1] ?? 'false';
    execFileSync('sh', ['-ec', command], { cwd: folder, env: { PATH: process.env['PATH'] } });
    const result: unknown = JSON.parse(await readFile(join(folder, 'results.jsonl'), 'utf8'));
    expect(result).toEqual({ metric: 'accuracy', value: expect.closeTo(0.607, 12), dataset: 'digits' });
  });

  it('replaces an earlier one as a whole', async () => {
    const home = await temporaryHome();
    await storeRun(home, { ...example, run });
    const folder = await keep(home, { parameters });
    await writeFile(join(folder, 'stale.txt'), 'from before');
    await keep(home, { parameters: { ...parameters, 'model.c': 20 } });
    expect(await readdir(folder)).not.toContain('stale.txt');
    expect(await readFile(join(folder, 'parameters.json'), 'utf8')).toContain('20');
    expect((await readdir(runPaths(home, run.plan.runId).root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('leaves the earlier one where the new one cannot be read', async () => {
    const home = await temporaryHome();
    await storeRun(home, { ...example, run });
    const folder = await keep(home, { parameters });
    await rm(join(runPaths(home, run.plan.runId).task, 'train.py'));
    await expect(keep(home, { parameters: { ...parameters, 'model.c': 30 } })).rejects.toMatchObject({ type: 'ArtifactMissing' });
    expect(await readFile(join(folder, 'parameters.json'), 'utf8')).toContain('10');
    expect((await readdir(runPaths(home, run.plan.runId).root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
