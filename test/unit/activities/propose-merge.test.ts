import { MockActivityEnvironment } from '@temporalio/testing';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePropose } from '../../../src/activities/propose.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem } from '../../../src/domain/item.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { ProposeInput } from '../../../src/domain/proposal.ts';
import { defaultParameters } from '../../../src/domain/task.ts';
import { proposingRun } from '../../support/proposing-run.ts';

/** The proposal activity, asked for merges over a run on disk. */

const good = { status: 'good', metric: 0.5, scores: { a: 0.5 } };

/** A run whose proposer says of everything that it was asked. */
async function scripted() {
  const run = await proposingRun({ kind: 'scripted', script: 'script.yaml' });
  writeFileSync(join(run.home.root, 'script.yaml'), 'entries: [{repeat: true, malformed: asked}]');
  return run;
}

describe('a merge', () => {
  const merge = (target: string | null) => ({ item: nodeItem('merge', nodeId(1), target, 0) });

  /** A base and three nodes made from it: `z`, `y` to 5, and both `y` to 7 and `x`. */
  async function withNodes(run: Awaited<ReturnType<typeof proposingRun>>) {
    await run.journal(0, good, { y: 3 });
    const node = { ...good, operator: 'tune', parent: 'n1' };
    await run.journal(1, { ...node, id: 'n2', item: 'tune:n1:z#0' }, { z: 'high' });
    await run.journal(2, { ...node, id: 'n3', item: 'tune:n1:y#0' }, { y: 5 });
    await run.journal(3, { ...node, id: 'n4', item: 'improve:n1#0' }, { y: 7, x: 0.5 });
    return run;
  }

  test('of disjoint nodes has what each of them changed', async () => {
    const run = await withNodes(await proposingRun());
    const result = await run.propose(merge('n2+n4'));
    if (result.status !== 'proposed') throw new TypeError(result.message);
    expect(result).toMatchObject({ label: 'merge of n2 and n4', changed: ['x', 'y', 'z'] });
    expect(result.plan).toBe('Unite what n2 (z) and n4 (x, y) changed, to see whether it adds up.');
    const { parameters } = await run.experiment(result.experiment);
    expect(parameters).toEqual({ ...defaultParameters(run.task), x: 0.5, y: 7, z: 'high' });
    const folder = runPaths(run.home, 'test-run').node('initial_implementation', nodeId(9));
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toContain('merge');
  });

  test('is made without asking the proposer, whatever that is', async () => {
    const run = await withNodes(await scripted());
    expect(await run.propose(merge('n2+n3'))).toMatchObject({ status: 'proposed', changed: ['y', 'z'] });
  });

  test('of nodes that disagree is a conflict that names the key and the nodes', async () => {
    const run = await withNodes(await proposingRun());
    expect(await run.propose(merge('n2+n3+n4'))).toEqual({ status: 'conflict', message: 'y is 5 in n3 and 7 in n4' });
  });

  test('takes the same value twice', async () => {
    const run = await withNodes(await proposingRun());
    await run.journal(4, { ...good, id: 'n5', item: 'improve:n1#1', operator: 'improve', parent: 'n1' }, { y: 7, z: 'middle' });
    const result = await run.propose(merge('n4+n5'));
    if (result.status !== 'proposed') throw new TypeError(result.message);
    expect((await run.experiment(result.experiment)).parameters).toMatchObject({ x: 0.5, y: 7, z: 'middle' });
  });

  test('that would make what is there already is not made', async () => {
    const run = await withNodes(await proposingRun());
    await run.journal(4, { ...good, id: 'n5', item: 'improve:n1#1', operator: 'improve', parent: 'n1' }, { y: 7 });
    const nothing = { status: 'exhausted', message: 'nothing to unite: the union of n4 and n5 is n4' };
    expect(await run.propose(merge('n4+n5'))).toEqual(nothing);
    expect(existsSync(runPaths(run.home, 'test-run').node('initial_implementation', nodeId(9)))).toBe(false);
  });

  test('answers the same again, also when its nodes have other values since, and to a worker that knows them', async () => {
    const run = await withNodes(await proposingRun());
    const question = { ...merge('n2+n3'), before: 4 };
    const first = await run.propose(question);
    const carried = { ...good, id: 'n3', operator: 'tune', parent: 'n1', item: 'tune:n1:y#0' };
    await run.journal(4, carried, { y: 9 });
    expect(await run.propose(question)).toEqual(first);
    const propose = makePropose({ home: run.home });
    const stage = { runId: 'test-run', stage: 'initial_implementation', node: 'n9', parentExperiment: null, allowedKeys: null };
    const ask = (before: number) =>
      new MockActivityEnvironment().run(propose, ProposeInput.parse({ ...stage, ...question, before }));
    expect(await ask(5)).not.toEqual(first);
    expect(await ask(4)).toEqual(first);
  });

  test.each([
    ['a node that is not there', 'n2+n8', 'n8'],
    ['a node that came later', 'n2+n4', 'n4'],
    ['a node without an experiment', 'n2+n5', 'n5'],
    ['no id', 'n2+n3+', 'nothing'],
    ['no list', 'z', 'z'],
    ['no target', null, 'nothing'],
  ])('of %s is refused as a defect', async (_, target, named) => {
    const run = await withNodes(await proposingRun());
    const unusable = { status: 'buggy', experiment: null, reason: 'proposal_malformed', message: 'no' };
    await run.journal(4, { ...unusable, id: 'n5', parent: 'n1', item: 'improve:n1#1', operator: 'improve' });
    const before = target === 'n2+n4' ? 3 : 5;
    await expect(run.propose({ ...merge(target), before })).rejects.toMatchObject({
      type: 'InvariantBroken',
      message: expect.stringContaining(`unites ${named}, which is no node with an experiment`),
    });
  });

  test('of a base that is not there is refused as a defect', async () => {
    const run = await withNodes(await proposingRun());
    for (const parent of [nodeId(8), null])
      await expect(run.propose({ item: nodeItem('merge', parent, 'n2+n3', 0) })).rejects.toMatchObject({
        type: 'InvariantBroken',
      });
  });

  test('keeps to the section that it was given, if any', async () => {
    const run = await withNodes(await proposingRun());
    expect(await run.propose({ ...merge('n2+n3'), allowedKeys: ['z'] })).toMatchObject({ status: 'outside' });
    expect(await run.propose({ ...merge('n2+n3'), allowedKeys: ['y', 'z'] })).toMatchObject({ status: 'proposed' });
  });

  test('of many nodes that disagree says so in a message that the journal takes', async () => {
    const run = await proposingRun();
    await run.journal(0, good);
    const ids = Array.from({ length: 12 }, (_, index) => nodeId(index + 2));
    for (const [index, id] of ids.entries())
      await run.journal(index + 1, { ...good, id, parent: 'n1', item: `tune:n1:y#${index}`, operator: 'tune' }, { y: index + 4 });
    const result = await run.propose({ item: nodeItem('merge', nodeId(1), ids.join('+'), 0) });
    if (result.status !== 'conflict') throw new TypeError(result.status);
    expect(result.message).toContain('y is 4 in n2 and 5 in n3');
    const dropped = { kind: 'dropped', seq: 0, stage: 'creative_research', item: 'i#0', reason: 'conflict' };
    expect(JournalEvent.safeParse({ ...dropped, message: result.message }).success).toBe(true);
  });
});

describe('an edit that is put on another node', () => {
  const rebaseItem = nodeItem('improve', nodeId(1), null, 0);

  /** A base, what an edit of `z` made of it, and a better node with another `x`. */
  async function withBetterNode(run: Awaited<ReturnType<typeof proposingRun>>) {
    const parentExperiment = await run.journal(0, good, { y: 3 });
    const made = await run.journal(
      1,
      { ...good, id: 'n2', operator: 'improve', parent: 'n1', item: 'improve:n1#1' },
      { z: 'high' },
    );
    const better = { ...good, id: 'n3', operator: 'improve', parent: 'n1', item: 'improve:n1#2' };
    const experiment = await run.journal(2, better, { x: 0.5, y: 7 });
    const onto = { node: nodeId(3), experiment };
    return { item: rebaseItem, parentExperiment, rebase: { made, label: 'high z', plan: 'try a high z', onto } };
  }

  test('keeps its label and plan, and what that node has besides', async () => {
    const run = await scripted();
    const asked = await withBetterNode(run);
    const result = await run.propose(asked);
    if (result.status !== 'proposed') throw new TypeError(result.message);
    expect(result).toMatchObject({ label: 'high z', plan: 'try a high z', changed: ['z'] });
    const { parameters } = await run.experiment(result.experiment);
    expect(parameters).toEqual({ ...defaultParameters(run.task), x: 0.5, y: 7, z: 'high' });
    const folder = runPaths(run.home, 'test-run').node('initial_implementation', nodeId(9));
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toContain('n3');
    expect(await run.propose(asked)).toEqual(result);
  });

  test('is nothing new where that node has it already, and stays in its section', async () => {
    const run = await scripted();
    const asked = await withBetterNode(run);
    const same = { ...asked, rebase: { ...asked.rebase, made: asked.rebase.onto.experiment } };
    expect(await run.propose(same)).toMatchObject({ status: 'exhausted' });
    expect(await run.propose({ ...asked, allowedKeys: ['x'] })).toMatchObject({ status: 'outside' });
  });
});
