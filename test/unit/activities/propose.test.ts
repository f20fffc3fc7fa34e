import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runPaths } from '../../../src/adapters/layout.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem } from '../../../src/domain/item.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { defaultParameters } from '../../../src/domain/task.ts';
import { proposingRun } from '../../support/proposing-run.ts';

/** The proposal activity over a run on disk. */

const good = { status: 'good', metric: 0.5, scores: { a: 0.5 } };
const draft = (ordinal: number) => nodeItem('draft', null, null, ordinal);
const tuneZ = (ordinal: number) => nodeItem('tune', nodeId(1), 'z', ordinal);

async function script(text: string, frozen: readonly string[] = []) {
  const run = await proposingRun({ kind: 'scripted', script: 'script.yaml' }, frozen);
  writeFileSync(join(run.home.root, 'script.yaml'), text);
  return run;
}

describe('a draft', () => {
  test('is the task as it is: all defaults, and the programs of the run’s copy', async () => {
    const run = await proposingRun();
    const result = await run.propose({ item: draft(0) });
    if (result.status !== 'proposed') throw new TypeError(result.message);
    const experiment = await run.experiment(result.experiment);
    expect(experiment.parameters).toEqual(defaultParameters(run.task));
    expect(Object.keys(experiment.files).sort()).toEqual(['plot.py', 'probe.py']);
    expect(result).toMatchObject({ label: 'quadratic', changed: [], plan: expect.stringContaining('default') });
  });

  test('writes the folder of the node for people', async () => {
    const run = await proposingRun();
    await run.propose({ item: draft(1) });
    const folder = runPaths(run.home, 'test-run').node('initial_implementation', nodeId(9));
    expect(readdirSync(folder).sort()).toEqual(['parameters.json', 'plan.md', 'plot.py', 'probe.py']);
  });

  test('a program that the run’s copy has lost is an error that says which', async () => {
    const run = await proposingRun();
    rmSync(join(runPaths(run.home, 'test-run').task, 'probe.py'));
    await expect(run.propose({ item: draft(0) })).rejects.toMatchObject({
      type: 'ArtifactMissing',
      message: expect.stringContaining('probe.py'),
    });
  });
});

describe('a node from a parent', () => {
  test('changes the parent’s experiment, and says which keys', async () => {
    const run = await proposingRun();
    const parentExperiment = await run.journal(0, good, { y: 7 });
    const result = await run.propose({ item: tuneZ(0), parentExperiment });
    expect(result).toMatchObject({ status: 'proposed', label: 'z', changed: ['z'] });
    if (result.status === 'proposed')
      expect((await run.experiment(result.experiment)).parameters).toMatchObject({
        y: 7,
        z: expect.stringMatching(/middle|high/),
      });
  });

  test('the same question gets the same answer, also when the journal has gone on since', async () => {
    const run = await proposingRun();
    const parentExperiment = await run.journal(0, good);
    const question = { item: tuneZ(0), parentExperiment, before: 1 };
    const first = await run.propose(question);
    if (first.status !== 'proposed') throw new TypeError(first.message);
    const z = (await run.experiment(first.experiment)).parameters['z'] ?? '';
    await run.journal(1, { ...good, id: 'n2', item: 'tune:n1:z#0', operator: 'tune', parent: 'n1', metric: 0.9 }, { z });
    expect(await run.propose(question)).toEqual(first);
    expect(await run.propose({ ...question, before: 2 })).not.toEqual(first);
  });

  test('items of equal work under way together differ; one whose outcome is known does not count', async () => {
    const run = await proposingRun();
    const parentExperiment = await run.journal(0, good);
    const ask = async (ordinal: number) => {
      const result = await run.propose({ item: tuneZ(ordinal), parentExperiment });
      return result.status === 'proposed' ? result.experiment : result.status;
    };
    const [first, second, third] = [await ask(0), await ask(1), await ask(2)];
    expect([first === second, third]).toEqual([false, 'exhausted']);
    await run.drop(1, 'tune:n1:z#0');
    expect(await ask(1)).toBe(first);
    expect(await ask(2)).toBe(second);
  });

  test('only the window of latest nodes is looked at', async () => {
    const run = await proposingRun({ window: 1 });
    const parentExperiment = await run.journal(0, good);
    for (const [seq, z] of [
      [1, 'middle'],
      [2, 'high'],
    ] as const) {
      await run.journal(seq, { ...good, id: `n${seq + 1}`, item: `tune:n1:z#${seq - 1}`, operator: 'tune', parent: 'n1' }, { z });
    }
    expect(await run.propose({ item: tuneZ(2), parentExperiment })).toMatchObject({ status: 'proposed' });
  });

  test('the repair of a node without an experiment starts from the nearest ancestor that has one', async () => {
    const run = await proposingRun();
    await run.journal(0, good, { y: 7 });
    const unusable = {
      status: 'buggy',
      experiment: null,
      reason: 'proposal_malformed',
      message: 'no',
      id: 'n2',
      parent: 'n1',
      item: 'improve:n1#0',
      operator: 'improve',
      label: 'quadratic',
    };
    await run.journal(1, unusable);
    const result = await run.propose({ item: nodeItem('debug', nodeId(2), null, 0) });
    if (result.status !== 'proposed') throw new TypeError(result.message);
    const { parameters } = await run.experiment(result.experiment);
    expect(parameters).not.toEqual({ ...defaultParameters(run.task), y: 7 });
    expect(result.label).toBe('quadratic');
  });

  test('a section is kept: there is nothing to propose outside of it', async () => {
    const run = await proposingRun();
    const parentExperiment = await run.journal(0, good);
    expect(await run.propose({ item: tuneZ(0), parentExperiment, allowedKeys: ['x'] })).toMatchObject({ status: 'exhausted' });
  });
});

describe('what cannot be used is malformed, with the reason', () => {
  test.each([
    ['{nonsense: 1}', 'nonsense is no component of the task probe'],
    ['{y: 21}', 'y may not be 21: that is outside its range'],
    ['{y: 1.5}', 'y may not be 1.5: that is outside its range'],
    ['{z: null}', 'z cannot be removed: it is a component of the task'],
    ['{knob.steps: 3}', 'knob.steps is frozen: the task does not let it change'],
  ])('%s', async (edit, message) => {
    const run = await script(`entries: [{edit: ${edit}}]`, ['knob.steps']);
    expect(await run.propose({ item: draft(0) })).toEqual({ status: 'malformed', message });
    expect(existsSync(runPaths(run.home, 'test-run').node('initial_implementation', nodeId(9)))).toBe(false);
  });

  test('an edit that changes nothing, of a node that has a parent', async () => {
    const run = await script('entries: [{edit: {y: 3}}]');
    const parentExperiment = await run.journal(0, good);
    expect(await run.propose({ item: tuneZ(0), parentExperiment })).toEqual({
      status: 'malformed',
      message: 'the edit changes nothing',
    });
    expect(await run.propose({ item: draft(0) })).toMatchObject({ status: 'proposed' });
  });

  test('an edit outside of the section', async () => {
    const run = await script('entries: [{edit: {y: 4}}]');
    expect(await run.propose({ item: draft(0), allowedKeys: ['x'] })).toEqual({
      status: 'outside',
      message: 'outside of the section that this item may change: y',
    });
  });

  test('an edit that strays to many keys says so in a message that the journal takes', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(80));
    const run = await script(`entries: [{edit: {${keys.map((key) => `${key}: 1`).join(', ')}}}]`);
    const result = await run.propose({ item: draft(0), allowedKeys: [] });
    if (result.status !== 'outside') throw new TypeError(result.status);
    const dropped = { kind: 'dropped', seq: 0, stage: 'creative_research', item: 'i#0', reason: 'section_violation' };
    expect(JournalEvent.safeParse({ ...dropped, message: result.message }).success).toBe(true);
  });
});

describe('the scripted proposer', () => {
  test('keeps its script in the run’s folder and never looks at the user’s file again', async () => {
    const run = await script('entries: [{edit: {y: 4}}]');
    await run.propose({ item: draft(0) });
    writeFileSync(join(run.home.root, 'script.yaml'), 'entries: []');
    expect(await run.propose({ item: draft(0) })).toMatchObject({ status: 'proposed', changed: ['y'] });
    expect(readFileSync(join(runPaths(run.home, 'test-run').root, 'script.yaml'), 'utf8')).toContain('y: 4');
  });

  test('a script with mistakes is refused with place and reason', async () => {
    const run = await script('entries:\n  - {match: {operator: invent}, edit: {}}\n  - {edits: {y: 4}}\n');
    await expect(run.propose({ item: draft(0) })).rejects.toMatchObject({ type: 'ConfigInvalid', nonRetryable: true });
    await expect(run.propose({ item: draft(0) })).rejects.toThrow(/script\.yaml:2:\d+ entries\.0\.match\.operator/);
    await expect(run.propose({ item: draft(0) })).rejects.toThrow(/edits: this key is not known/);
  });
});

test('an item that makes no node is refused as a defect', async () => {
  const run = await proposingRun();
  await expect(run.propose({ item: plotItem(nodeId(1)) })).rejects.toMatchObject({ type: 'InvariantBroken' });
});

test('answers stay within 4 KiB', async () => {
  const run = await script(`entries: [{edit: {y: 4}, label: ${'l'.repeat(200)}, plan: ${'p'.repeat(600)}}]`);
  expect(Buffer.byteLength(JSON.stringify(await run.propose({ item: draft(0) })))).toBeLessThan(4096);
});
