import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import type { StageName } from '../../src/domain/ids.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import { ledgerAttempts, type LedgerAttempt } from '../../src/domain/ledger.ts';
import { newSlowHome, removeHome, runCommand, type RunningCommand, startUp, temporal, typeLine } from '../support/cli.ts';
import { audit, comparableJournal, SHORT_CONFIG } from '../support/disturbed-run.ts';
import { until } from '../support/gate.ts';
import { readDocument, sectionOf, shellLines } from '../support/markdown.ts';
import { rewrite } from '../support/shell.ts';

/** Resets of real runs, by the lines of docs/operations.md and at the points that it names. */

const CONFIG = [
  'task: probe',
  'tasks_dir: experiments',
  'devices: cpu:2',
  'agent:',
  '  num_workers: 2',
  '  stages: {stage1_max_iters: 3, stage2_max_iters: 4, stage3_max_iters: 2, stage4_max_iters: 1}',
  '  multi_seed_eval: {num_seeds: 1}',
  'search: {all_datasets_from: 5}',
  '',
].join('\n');
const FIRST: StageName = 'initial_implementation';
const SECOND: StageName = 'baseline_tuning';
const THIRD: StageName = 'creative_research';
const WHY = 'a test';

const home = newSlowHome(700, CONFIG);
const section = sectionOf(readDocument('docs/operations.md'), 'Reset');
const lines = section.blocks.filter(({ language }) => language === 'sh').flatMap(shellLines);
const untried = new Set(lines);
// Two drafts of a task that takes long enough to be met in the middle.
const LONG = SHORT_CONFIG.replace('probe', 'long');
let up: RunningCommand | null = null;
let undisturbed: unknown[] = [];

beforeAll(async () => {
  const [short, long] = ['probe', 'long'].map((name) => join(home, 'experiments', name)) as [string, string];
  cpSync(short, long, { recursive: true });
  rewrite(join(long, 'task.yaml'), /name: probe/, 'name: long');
  rewrite(join(long, 'task.yaml'), /default: 700/, 'default: 6000');
  writeFileSync(join(home, 'long.yaml'), LONG);
  up = await startUp(home, 'cpu:2');
  const run = await runCommand(home, 'run', 'config.yaml', '--run-id', 'calm');
  expect(run.code, run.err).toBe(0);
  undisturbed = await comparableJournal(home, 'calm');
}, 180_000);

afterAll(async () => {
  up?.signal('SIGTERM');
  await up?.ended;
  await removeHome(home);
});

/** Types the one line of the documentation with all these parts; its variables are set. */
async function documented(parts: readonly string[], variables: Readonly<Record<string, string>>): Promise<string> {
  const [line, ...others] = lines.filter((text) => parts.every((part) => text.includes(part)));
  if (line === undefined || others.length > 0) throw new Error(`there must be one line with ${parts.join(' and ')}`);
  untried.delete(line);
  const { code, out } = await typeLine(home, line, { ...variables, WHY });
  expect(code, `${line}\n${out}`).toBe(0);
  return out;
}

async function start(run: string, config = 'config.yaml'): Promise<void> {
  const { code, err } = await runCommand(home, 'run', config, '--run-id', run, '--detach');
  expect(code, err).toBe(0);
}

/** Resets a run to before its stage number `ordinal`, the way that the documentation tells. */
async function resetToStage(run: string, ordinal: number): Promise<void> {
  const shown = (await documented(['show', '"$RUN" ', 'StartChild'], { RUN: run })).split('\n');
  const begins = shown.flatMap((text, index) => (text.includes('StartChildWorkflowExecutionInitiated') ? [index] : []));
  const above = shown.slice(0, begins[ordinal - 1]).findLast((text) => text.includes('WorkflowTaskCompleted'));
  await documented(['reset', '"$RUN" ', '--event-id'], { RUN: run, EVENT: String(Number.parseInt(above ?? '', 10)) });
}

/** Resets a stage to after the event of its node number `ordinal`, and returns that event. */
async function resetToNode(run: string, stage: StageName, ordinal: number): Promise<JournalEvent> {
  const events = await readEvents({ root: home }, run);
  const node = events.filter((event) => event.kind === 'node' && event.stage === stage)[ordinal - 1];
  if (node?.kind !== 'node') throw new Error(`${stage} has no node number ${ordinal} yet`);
  const shown = (await documented(['show', 'event.node.id'], { RUN: run, STAGE: stage })).split('\n');
  const at = shown.findIndex((text) => text.endsWith(`event.node.id: ${node.node.id}`));
  const below = shown.slice(at).find((text) => text.includes('WorkflowTaskCompleted'));
  const event = /\[(\d+)\]/.exec(below ?? '')?.[1] ?? '';
  await documented(['reset', '"$RUN/$STAGE"'], { RUN: run, STAGE: stage, EVENT: event });
  return node;
}

async function attempts(run: string): Promise<LedgerAttempt[]> {
  return ledgerAttempts((await readLedgers({ root: home })).lines).filter((attempt) => attempt.run === run);
}

/** Waits until this many nodes of a stage are in the journal and an evaluation runs. */
async function untilRunningIn(run: string, stage: StageName, nodes = 0): Promise<void> {
  await until(async () => {
    const events = (await readEvents({ root: home }, run)).filter((event) => event.stage === stage);
    const isBusy = (await attempts(run)).some(({ deadAt }) => deadAt === null);
    return isBusy && events.length > 0 && events.filter(({ kind }) => kind === 'node').length >= nodes;
  });
}

/** Every execution of a workflow, the latest first. */
async function executionsOf(workflowId: string): Promise<string[]> {
  const { out } = await temporal(home, 'workflow', 'list', '--query', `WorkflowId = "${workflowId}"`, '-o', 'json');
  return [...out.matchAll(/"status": "WORKFLOW_EXECUTION_STATUS_(\w+)"/g)].map(([, status = '']) => status);
}

async function untilEnded(run: string): Promise<void> {
  await until(async () => (await executionsOf(run))[0] === 'COMPLETED');
}

/** The journal is that of an undisturbed run, what was replaced is kept, and no evaluation ran twice or beside another. */
async function expectAsUndisturbed(run: string, replaced?: number): Promise<void> {
  expect(await comparableJournal(home, run)).toEqual(undisturbed);
  expect((await readEvents({ root: home }, run)).map(({ seq }) => seq)).toEqual(undisturbed.map((_, index) => index));
  const folder = runPaths({ root: home }, run).journal;
  const aside = readdirSync(folder).filter((name) => name.startsWith('superseded-'));
  if (replaced !== undefined) expect(aside).toHaveLength(replaced);
  const { doubled, overlaps, open } = await audit(home);
  expect({ doubled, overlaps, open }).toEqual({ doubled: [], overlaps: [], open: [] });
}

describe('a reset', { timeout: 180_000 }, () => {
  test('of a run to before stage 2 starts stage 2 once, ends the stage that went on, and reruns nothing that has a result', async () => {
    await start('to-stage-2');
    await untilRunningIn('to-stage-2', THIRD);
    const [first, second] = [`to-stage-2/${FIRST}`, `to-stage-2/${SECOND}`];
    await resetToStage('to-stage-2', 2);
    await until(async () => (await executionsOf(`to-stage-2/${THIRD}`))[0] === 'TERMINATED');
    await untilEnded('to-stage-2');
    expect(await executionsOf(first)).toEqual(['COMPLETED']);
    expect(await executionsOf(second)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await executionsOf(`to-stage-2/${THIRD}`)).toEqual(['COMPLETED', 'TERMINATED']);
    await expectAsUndisturbed('to-stage-2', 1);
  });

  test('of a run that has ended, to before a stage, makes that stage and the later ones again', async () => {
    await resetToStage('to-stage-2', 4);
    await until(async () => (await executionsOf('to-stage-2/ablation_studies')).length === 2);
    await untilEnded('to-stage-2');
    expect(await executionsOf(`to-stage-2/${THIRD}`)).toHaveLength(2);
    await expectAsUndisturbed('to-stage-2', 2);
  });

  test('of a stage that its run has left behind is refused before it changes the journal', async () => {
    const before = await readEvents({ root: home }, 'calm');
    await resetToNode('calm', SECOND, 3);
    await until(async () => (await executionsOf(`calm/${SECOND}`))[0] === 'FAILED');
    const { out } = await temporal(home, 'workflow', 'show', '--workflow-id', `calm/${SECOND}`);
    expect(out).toContain('does not wait for it any more');
    expect(await readEvents({ root: home }, 'calm')).toEqual(before);
  });

  test('of a run to its start, while stage 2 runs, frees the devices and goes through all stages again', async () => {
    await start('to-start');
    await untilRunningIn('to-start', SECOND, 1);
    await documented(['reset', 'FirstWorkflowTask'], { RUN: 'to-start' });
    await until(async () => (await executionsOf(`to-start/${SECOND}`))[0] === 'TERMINATED');
    await untilEnded('to-start');
    expect(await executionsOf(`to-start/${FIRST}`)).toEqual(['COMPLETED', 'COMPLETED']);
    await expectAsUndisturbed('to-start', 1);
  });

  test('ends the trainings of the stage that it replaces, frees their devices and makes them again in fresh folders', async () => {
    await start('trainings', 'long.yaml');
    await until(async () => (await attempts('trainings')).length === 2);
    const before = await attempts('trainings');
    await documented(['reset', 'FirstWorkflowTask'], { RUN: 'trainings' });
    await untilEnded('trainings');
    for (const { evaluation, attempt } of before) {
      const tries = (await attempts('trainings')).filter((other) => other.evaluation === evaluation);
      expect(tries.map(({ outcome }) => outcome)).toEqual(['cancelled', 'finished']);
      const folder = dirname(runPaths({ root: home }, 'trainings').attempt(evaluation, attempt));
      expect(readdirSync(folder).sort()).toEqual([attempt, `${attempt}.old-1`]);
    }
    const { doubled, overlaps, open } = await audit(home);
    expect({ doubled, overlaps, open }).toEqual({ doubled: [], overlaps: [], open: [] });
  });

  test('of the stage that its run waits for, to after its third node, keeps the three and makes the rest again', async () => {
    await start('to-node');
    await untilRunningIn('to-node', SECOND, 4);
    const third = await resetToNode('to-node', SECOND, 3);
    await untilEnded('to-node');
    expect(await executionsOf(`to-node/${SECOND}`)).toEqual(['COMPLETED', 'TERMINATED']);
    await expectAsUndisturbed('to-node');
    expect(await readEvents({ root: home }, 'to-node')).toContainEqual(third);
  });

  test('is documented by lines that were all tried here', () => {
    expect([...untried]).toEqual([]);
  });
});
