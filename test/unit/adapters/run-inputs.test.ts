import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { keepRunInputs, readRunInputs } from '../../../src/adapters/run-inputs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function project(config: string): Home {
  const root = temporaryFolder();
  writeFileSync(join(root, 'my.yaml'), config);
  return { root };
}

describe('readRunInputs', () => {
  it('reads config, task and data folder', async () => {
    const home = project('task: digits\ndata_dir: mine\n');
    mkdirSync(join(home.root, 'mine'));
    const inputs = await readRunInputs(home, { config: 'my.yaml', set: { 'agent.num_workers': '2' } });
    expect(inputs).toMatchObject({
      config: { agent: { num_workers: 2 } },
      task: { name: 'digits' },
      taskFolder: join(PACKAGE_ROOT, 'experiments', 'digits'),
      dataDir: join(home.root, 'mine'),
    });
  });

  it('loads a file of AI-Scientist-v2 where nobody made its data folder', async () => {
    const home = project(readFileSync(join(PACKAGE_ROOT, 'test', 'fixtures', 'configs', 'bfts_config.yaml'), 'utf8'));
    const { dataDir, warnings, task } = await readRunInputs(home, { config: 'my.yaml' });
    expect({ dataDir, task: task.name }).toEqual({ dataDir: null, task: 'digits' });
    expect(warnings).toEqual([
      expect.stringContaining('task: digits'),
      expect.stringContaining('agent.steps'),
      expect.stringContaining('data_dir has no effect'),
    ]);
  });

  it('refuses a task that is named otherwise than its folder', async () => {
    const home = project('task: mine');
    mkdirSync(join(home.root, 'experiments', 'mine'), { recursive: true });
    writeFileSync(join(home.root, 'experiments', 'mine', 'train.py'), '');
    const text = 'name: yours\ngoal: x\nmetric: {name: a, direction: minimize}\ndatasets: [a]\nentry: train.py\ncomponents: {}\n';
    writeFileSync(join(home.root, 'experiments', 'mine', 'task.yaml'), text);
    await expect(readRunInputs(home, { config: 'my.yaml' })).rejects.toThrow('name is yours, but its folder is mine');
  });
});

describe('keepRunInputs', () => {
  it('copies the files of the task and no other, byte by byte, and the config with its changes', async () => {
    const home = project('task: digits # mine\n');
    const inputs = await readRunInputs(home, { config: 'my.yaml', set: { seed: '5', 'report.html': false } });
    await keepRunInputs(home, 'r1', inputs);
    const paths = runPaths(home, 'r1');
    expect(readdirSync(paths.task).sort()).toEqual(['pipeline.py', 'plot.py', 'task.yaml', 'train.py']);
    for (const name of readdirSync(paths.task)) {
      expect(readFileSync(join(paths.task, name)).equals(readFileSync(join(inputs.taskFolder, name)))).toBe(true);
    }
    expect(readFileSync(paths.config, 'utf8')).toBe('task: digits # mine\n# --set seed="5"\n# --set report.html=false\n');
  });

  it('leaves nothing of an earlier try', async () => {
    const home = project('task: digits');
    const inputs = await readRunInputs(home, { config: 'my.yaml' });
    mkdirSync(runPaths(home, 'r1').task, { recursive: true });
    writeFileSync(join(runPaths(home, 'r1').task, 'stale.py'), '');
    await keepRunInputs(home, 'r1', inputs);
    await keepRunInputs(home, 'r1', inputs);
    expect(readdirSync(runPaths(home, 'r1').task)).not.toContain('stale.py');
  });
});
