import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getArtifact, getExperiment, putArtifact, putExperiment } from '../../../src/adapters/artifact-store.ts';
import { copyExperiment, readForkStart } from '../../../src/adapters/fork-run.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { keepRunInputs, keptSets, readRunInputs } from '../../../src/adapters/run-inputs.ts';
import { listRuns } from '../../../src/adapters/run-store.ts';
import { nodeId, RunId } from '../../../src/domain/ids.ts';
import { containing } from '../../support/matchers.ts';
import { storeRun, temporaryHome } from '../../support/stored-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('readForkStart', () => {
  test('finds a node with its experiment in the journal on disk', async () => {
    const home = await temporaryHome();
    const events = await storeRun(home);
    const [event] = events.filter(({ kind }) => kind === 'node');
    if (event?.kind !== 'node') throw new Error('the example has no node');
    const run = RunId.parse((await listRuns(home))[0]);
    const start = await readForkStart(home, { run, node: event.node.id });
    expect(start).toMatchObject({ stage: 'baseline_tuning', node: event.node });
  });

  test('a damaged experiment is found before anything is started', async () => {
    const home = await temporaryHome();
    const events = await storeRun(home);
    const [event] = events.filter(({ kind }) => kind === 'node');
    if (event?.kind !== 'node' || event.node.experiment === null) throw new Error('the example has no node');
    const run = RunId.parse((await listRuns(home))[0]);
    writeFileSync(runPaths(home, run).artifact(event.node.experiment), 'other bytes');
    await expect(readForkStart(home, { run, node: event.node.id })).rejects.toMatchObject({ type: 'ArtifactCorrupt' });
  });

  test('a run that is not there is refused', async () => {
    const home = await temporaryHome();
    await expect(readForkStart(home, { run: RunId.parse('none'), node: nodeId(1) })).rejects.toMatchObject({
      type: 'ConfigInvalid',
      message: containing('no run none'),
      fix: containing('scientist list'),
    });
  });
});

test('an experiment is copied with its files, so that the new run needs nothing of the old one', async () => {
  const home = { root: temporaryFolder() };
  const file = await putArtifact(home, 'old', 'print(1)');
  const ref = await putExperiment(home, 'old', { v: 1, parameters: { x: 1 }, files: { 'train.py': file } });
  await copyExperiment(home, 'old', 'new', ref);
  expect(await getExperiment(home, 'new', ref)).toEqual(await getExperiment(home, 'old', ref));
  expect((await getArtifact(home, 'new', file)).toString()).toBe('print(1)');
});

describe('the inputs of a fork', () => {
  const config = 'task: probe # mine\n# --set is not one\n';

  async function source() {
    const home = { root: temporaryFolder() };
    writeFileSync(join(home.root, 'my.yaml'), config);
    const given = await readRunInputs(home, { config: 'my.yaml', set: { seed: '5', 'report.html': false, goal: 'a=b "c"' } });
    await keepRunInputs(home, 'old', given);
    return { home, given };
  }

  test('the changes of a kept config can be made again', async () => {
    const { home, given } = await source();
    const sets = await keptSets(home, 'old');
    expect(sets).toEqual({ seed: '5', 'report.html': false, goal: 'a=b "c"' });
    const again = await readRunInputs(home, { config: 'runs/old/config.yaml', set: sets });
    expect(again.config).toEqual(given.config);
    expect(again.config.seed).toBe(5);
  });

  test('a kept config is kept again without its changes twice', async () => {
    const { home } = await source();
    const again = await readRunInputs(home, { config: 'runs/old/config.yaml', set: { seed: '6' } });
    await keepRunInputs(home, 'new', again);
    expect(readFileSync(runPaths(home, 'new').config, 'utf8')).toBe(`${config}# --set seed="6"\n`);
  });

  test('a config without changes, and a run without a config, have none', async () => {
    const home = { root: temporaryFolder() };
    mkdirSync(runPaths(home, 'plain').root, { recursive: true });
    writeFileSync(runPaths(home, 'plain').config, config);
    expect(await keptSets(home, 'plain')).toEqual({});
    expect(await keptSets(home, 'none')).toEqual({});
    expect(existsSync(runPaths(home, 'none').root)).toBe(false);
  });
});
