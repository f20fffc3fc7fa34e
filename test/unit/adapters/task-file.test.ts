import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/adapters/project.ts';
import { findTask, loadTask } from '../../../src/adapters/task-file.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GOOD = `name: mine
goal: be good
metric: {name: score, direction: maximize}
datasets: [one]
entry: train.py
components:
  depth: {type: int, min: 1, max: 9, default: 3, group: model}
`;

/** A folder with a task of this text and these files. */
function task(text: string, files: readonly string[] = ['train.py']): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'task.yaml'), text);
  for (const name of files) writeFileSync(join(folder, name), '');
  return folder;
}

async function refusal(folder: string): Promise<string[]> {
  const error: unknown = await loadTask(folder).catch((failure: unknown) => failure);
  if (!(error instanceof PlatformFailure)) throw new Error('it was not refused');
  expect(error.type).toBe('ConfigInvalid');
  return error.message.replaceAll(join(folder, 'task.yaml'), 'FILE').split('\n');
}

describe('loadTask', () => {
  it.each(['digits', 'probe'])('reads the shipped task %s', async (name) => {
    expect(await loadTask(join(PACKAGE_ROOT, 'experiments', name))).toMatchObject({ name });
  });

  it('lists every problem with its place', async () => {
    const text = GOOD.replace('goal', 'gaol')
      .replace('maximize', 'up')
      .replace('train.py', '../train.py')
      .replace('default', 'defalt');
    expect(await refusal(task(text))).toEqual([
      'FILE:1:1 goal: a text is missing here',
      'FILE:2:1 gaol: this key is not known; the nearest known key is goal',
      'FILE:3:34 metric.direction: expected one of maximize, minimize, got the text "up"',
      expect.stringMatching(/^FILE:5:8 entry: a file of a task is named without a folder/),
      'FILE:7:3 components.depth.default: a number is missing here',
      expect.stringMatching(/^FILE:7:\d+ components\.depth\.defalt: this key is not known; the nearest known key is default$/),
    ]);
  });

  it('says which programs are not there', async () => {
    const text = `${GOOD}plot: plot.py\nfiles: [a.py, b.py]\n`;
    expect(await refusal(task(text, ['a.py']))).toEqual([
      'FILE:5:8 entry: there is no file train.py beside task.yaml',
      'FILE:8:7 plot: there is no file plot.py beside task.yaml',
      'FILE:9:15 files.1: there is no file b.py beside task.yaml',
    ]);
  });

  it('does not take a folder for a program', async () => {
    const folder = task(GOOD, []);
    mkdirSync(join(folder, 'train.py'));
    expect(await refusal(folder)).toEqual(['FILE:5:8 entry: there is no file train.py beside task.yaml']);
  });

  it('says that there is no task file', async () => {
    expect(await refusal(temporaryFolder())).toEqual(['FILE: there is no such task file']);
  });
});

describe('findTask', () => {
  function project(): string {
    const root = temporaryFolder();
    for (const folder of ['experiments/mine', 'experiments/digits', 'elsewhere/other']) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, 'task.yaml'), GOOD);
    }
    mkdirSync(join(root, 'experiments', 'empty'));
    return root;
  }

  it('looks in the project first, then among the tasks that come with the program', async () => {
    const root = project();
    expect(await findTask({ root }, { task: 'mine', tasks_dir: null })).toBe(join(root, 'experiments', 'mine'));
    expect(await findTask({ root }, { task: 'digits', tasks_dir: null })).toBe(join(root, 'experiments', 'digits'));
    expect(await findTask({ root }, { task: 'probe', tasks_dir: null })).toBe(join(PACKAGE_ROOT, 'experiments', 'probe'));
  });

  it('looks in tasks_dir alone when it is named', async () => {
    const root = project();
    expect(await findTask({ root }, { task: 'other', tasks_dir: 'elsewhere' })).toBe(join(root, 'elsewhere', 'other'));
    await expect(findTask({ root }, { task: 'digits', tasks_dir: join(root, 'elsewhere') })).rejects.toThrow('(there are other)');
  });

  it('names what there is when there is none of this name', async () => {
    const root = project();
    const failure = {
      type: 'ConfigInvalid',
      message: expect.stringMatching(
        /no mime\/task\.yaml .*there are clusters, coupled, digits, k_module, mine, minimum, probe, separable/,
      ) as string,
      fix: 'Did you mean task: mine?',
    };
    await expect(findTask({ root }, { task: 'mime', tasks_dir: null })).rejects.toThrow(expect.objectContaining(failure));
    await expect(findTask({ root }, { task: 'empty', tasks_dir: 'nowhere' })).rejects.toThrow('no tasks are there');
  });
});
