import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { linkNodeEvaluations, writeNodeFolder } from '../../../src/adapters/node-folder.ts';
import { EvaluationRecord } from '../../../src/domain/evaluation.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { Node } from '../../../src/domain/node.ts';
import { readyRun } from '../../support/evaluations.ts';

const ID = 'a'.repeat(32);

function record(dataset: string, evaluation: string | null = ID): EvaluationRecord {
  const failed = { status: 'failed', reason: 'infrastructure', message: 'gone', exitCode: null, signal: null };
  const outcome = { attempt: '1.1', device: 'cpu0', durationMs: 1, peakMemoryMiB: null, figures: 0, cached: false };
  const result =
    evaluation === null ? { ...failed, evaluation, ...outcome } : { status: 'finished', value: 0.5, evaluation, ...outcome };
  return EvaluationRecord.parse({ dataset, seed: 3, result });
}

const node = Node.parse({
  status: 'buggy',
  id: 'n1',
  stage: 'initial_implementation',
  operator: 'draft',
  parent: null,
  item: 'draft#0',
  label: 'first',
  changed: [],
  debugDepth: 0,
  experiment: null,
  reason: 'no_result',
  message: 'ended without a final value',
});

/** An evaluation's attempt on disk, with a figure. */
function attemptWithFigure(home: Home): void {
  const out = join(
    runPaths(home, 'test-run').attempt(EvaluationRecord.shape.result.options[0].shape.evaluation.parse(ID), '1.1'),
    'out',
  );
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'curve.svg'), '<svg/>');
  writeFileSync(join(out, 'notes.txt'), 'no figure');
}

test('a node’s folder holds its program, its parameters and its plan', async () => {
  const { home } = await readyRun({ program: 'value.py', parameters: { x: 0.75 } });
  await writeNodeFolder(home, 'test-run', {
    stage: 'baseline_tuning',
    node: nodeId(4),
    experiment: { v: 1, parameters: { x: 0.75 }, files: {} },
    plan: 'Try a larger x.',
    label: 'x',
    operator: 'tune',
    parent: nodeId(1),
  });
  const folder = join(home.root, 'runs', 'test-run', 'baseline_tuning', 'n4');
  expect(readdirSync(folder).sort()).toEqual(['parameters.json', 'plan.md', 'plot.py', 'value.py']);
  expect(JSON.parse(readFileSync(join(folder, 'parameters.json'), 'utf8'))).toEqual({ x: 0.75 });
  expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe(
    '# n4: tune x\n\nTry a larger x.\n\nMade from n1 in baseline_tuning.\n',
  );
});

test('a failed node too has its record, links that survive a move of the run, and its figures', async () => {
  const { home } = await readyRun({ program: 'value.py' });
  attemptWithFigure(home);
  await linkNodeEvaluations(home, 'test-run', node, [record('a'), record('b', null)]);
  const folder = (root: string) => join(root, 'runs', 'test-run', 'initial_implementation', 'n1');
  expect(JSON.parse(readFileSync(join(folder(home.root), 'node.json'), 'utf8'))).toMatchObject({ id: 'n1', reason: 'no_result' });
  expect(readdirSync(join(folder(home.root), 'evaluations'))).toEqual(['a-s3']);
  expect(readlinkSync(join(folder(home.root), 'evaluations', 'a-s3')).startsWith('..')).toBe(true);
  expect(readdirSync(join(folder(home.root), 'figures'))).toEqual(['a-s3-curve.svg']);
  renameSync(join(home.root, 'runs'), join(home.root, 'moved'));
  expect(
    existsSync(join(home.root, 'moved', 'test-run', 'initial_implementation', 'n1', 'evaluations', 'a-s3', 'attempts')),
  ).toBe(true);
});

test('doing it again changes nothing', async () => {
  const { home } = await readyRun({ program: 'value.py' });
  for (let time = 0; time < 2; time++) await linkNodeEvaluations(home, 'test-run', node, [record('a')]);
  const folder = join(home.root, 'runs', 'test-run', 'initial_implementation', 'n1');
  expect(readdirSync(folder).sort()).toEqual(['evaluations', 'node.json']);
  expect(readdirSync(join(folder, 'evaluations'))).toEqual(['a-s3']);
});
