import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putArtifact } from '../../../src/adapters/artifact-store.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { activeParameters, readProgram, readProgramOf } from '../../../src/adapters/program.ts';
import { Task } from '../../../src/domain/task.ts';
import { readyRun } from '../../support/evaluations.ts';
import { containing } from '../../support/matchers.ts';

describe('readProgram', () => {
  test('an experiment without files runs the task’s program', async () => {
    const { home, run } = await readyRun({ program: 'value.py' });
    const { files } = await readProgram(home, run.plan.runId, { v: 1, parameters: {}, files: {} });
    expect([...files.keys()]).toEqual(['plot.py', 'value.py']);
  });

  test('one that carries the entry program is complete, with its own bytes', async () => {
    const { home, run } = await readyRun({ program: 'value.py' });
    const ref = await putArtifact(home, run.plan.runId, 'pass');
    const { files } = await readProgramOf(home, run, { v: 1, parameters: {}, files: { 'value.py': ref } });
    expect([...files]).toEqual([['value.py', Buffer.from('pass')]]);
  });

  test('one that carries another file gets the task’s beside it', async () => {
    const { home, run } = await readyRun({ program: 'value.py' });
    const ref = await putArtifact(home, run.plan.runId, '{}');
    const { files } = await readProgramOf(home, run, { v: 1, parameters: {}, files: { 'more.json': ref } });
    expect([...files.keys()]).toEqual(['more.json', 'plot.py', 'value.py']);
  });

  test('a file that is gone is missing, with its path', async () => {
    const { home, run } = await readyRun({ program: 'value.py' });
    const path = join(runPaths(home, run.plan.runId).task, 'value.py');
    rmSync(path);
    await expect(readProgramOf(home, run, { v: 1, parameters: {}, files: {} })).rejects.toMatchObject({
      type: 'ArtifactMissing',
      message: containing(path),
    });
  });
});

test('the parameters are those that count, with defaults for what is not set, sorted', () => {
  const task = Task.parse({
    name: 'probe',
    goal: 'g',
    metric: { name: 'score', direction: 'maximize' },
    datasets: ['a'],
    entry: 'a.py',
    components: {
      solver: { type: 'choice', values: ['x', 'y'], default: 'x', group: 'g' },
      depth: { type: 'int', min: 1, max: 9, default: 3, group: 'g', when: { solver: ['y'] } },
      'a.first': { type: 'bool', default: true, group: 'g' },
    },
  });
  expect(Object.entries(activeParameters(task, { parameters: { depth: 5 } }))).toEqual([
    ['a.first', true],
    ['solver', 'x'],
  ]);
  expect(activeParameters(task, { parameters: { solver: 'y' } })).toEqual({ 'a.first': true, solver: 'y', depth: 3 });
});
