import { expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../../../src/domain/item.ts';
import { Script } from '../../../../src/proposers/scripted/script.ts';
import { createScriptedProposer } from '../../../../src/proposers/scripted/scripted.ts';
import { createSearchSpaceProposer } from '../../../../src/proposers/search-space/search-space.ts';
import type { ProposalContext } from '../../../../src/proposers/proposer.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { contextFor, past } from '../../../support/proposals.ts';

const task = await loadTask(taskFolder('probe'));
const improve = (ordinal: number) => nodeItem('improve', nodeId(1), null, ordinal);

function ask(script: unknown, item: NodeItem, change: Partial<ProposalContext> = {}) {
  return createScriptedProposer(Script.parse(script), createSearchSpaceProposer()).propose(contextFor(task, item, change));
}

test('of the entries that fit, the ordinal of the item picks one, whatever was asked before', async () => {
  const script = {
    entries: [
      { edit: { y: 1 }, match: { operator: 'improve' } },
      { edit: { y: 2 } },
      { edit: { y: 3 }, match: { operator: 'tune' } },
    ],
  };
  const labelOf = async (ordinal: number) => ask(script, improve(ordinal));
  expect(await labelOf(1)).toMatchObject({ edit: { parameters: { y: 2 } } });
  expect(await labelOf(0)).toMatchObject({ edit: { parameters: { y: 1 } } });
  expect(await labelOf(2)).toEqual({ status: 'exhausted', message: 'the script has no entry left for improve:n1#2' });
});

test('an entry that repeats serves every further item', async () => {
  const script = { entries: [{ edit: { y: 1 } }, { edit: { y: 2 }, repeat: true }] };
  expect(await Promise.all([0, 1, 5].map((ordinal) => ask(script, improve(ordinal))))).toMatchObject(
    [1, 2, 2].map((y) => ({ edit: { parameters: { y } } })),
  );
});

test('an entry for an item or a node comes before all others', async () => {
  const script = {
    entries: [
      { edit: { y: 1 }, repeat: true },
      { match: { item: 'improve:n1#3' }, edit: { y: 3 } },
      { match: { node: 'n7' }, edit: { y: 7 } },
    ],
  };
  expect(await ask(script, improve(3))).toMatchObject({ edit: { parameters: { y: 3 } } });
  expect(await ask(script, improve(0), { node: nodeId(7) })).toMatchObject({ edit: { parameters: { y: 7 } } });
});

test.each([
  [{ stage: 'creative_research' }, false],
  [{ stage: 'baseline_tuning' }, true],
  [{ parent: 'n2' }, false],
  [{ parent: 'n1' }, true],
  [{ target: 'z' }, true],
  [{ target: 'x' }, false],
  [{ operator: 'tune', parent: 'n1', target: 'z' }, true],
])('%j fits: %s', async (match, fits) => {
  const result = await ask({ entries: [{ match, edit: { y: 1 } }] }, nodeItem('tune', nodeId(1), 'z', 0));
  expect(result.status).toBe(fits ? 'proposed' : 'exhausted');
});

test('an entry can be unusable or say that nothing is left', async () => {
  const script = { entries: [{ malformed: 'not JSON' }, { exhausted: 'enough' }] };
  expect(await ask(script, improve(0))).toEqual({ status: 'malformed', message: 'not JSON' });
  expect(await ask(script, improve(1))).toEqual({ status: 'exhausted', message: 'enough' });
});

test('whole parameters stand on the defaults, an edit on the parent', async () => {
  const whole = await ask({ entries: [{ parameters: { y: 9 } }] }, improve(0));
  expect(whole).toMatchObject({ edit: { parameters: { y: 9, x: -0.5, z: 'low' } } });
  const edit = await ask({ entries: [{ edit: { y: 9 } }] }, improve(0));
  expect(edit).toMatchObject({ edit: { parameters: { y: 9 } } });
});

test('where the script ends, the search space goes on if it is asked to', async () => {
  expect(await ask({ default: 'search_space', entries: [] }, nodeItem('tune', nodeId(1), 'z', 0))).toMatchObject({
    status: 'proposed',
    label: 'z',
  });
});

test('labels: as scripted, kept through debug, else the target or the operator', async () => {
  const entries = [{ edit: { y: 1 } }];
  const parent = past(task, 1, {}, { label: 'sharp' });
  expect(await ask({ entries }, nodeItem('debug', nodeId(1), null, 0), { parent })).toMatchObject({ label: 'sharp' });
  expect(await ask({ entries }, nodeItem('tune', nodeId(1), 'z', 0))).toMatchObject({ label: 'z' });
  expect(await ask({ entries }, improve(0))).toMatchObject({ label: 'improve', plan: 'Scripted: improve:n1#0.' });
  expect(await ask({ entries: [{ edit: { y: 1 }, label: 'mine', plan: 'Why.' }] }, improve(0))).toMatchObject({
    label: 'mine',
    plan: 'Why.',
  });
});

test('an entry says exactly one thing', () => {
  for (const entry of [{}, { edit: {}, malformed: 'x' }, { edit: {}, parameters: {} }]) {
    expect(Script.safeParse({ entries: [entry] }).success, JSON.stringify(entry)).toBe(false);
  }
});

test('an entry may refuse as a proposer does, and answer late, unless it is cancelled meanwhile', async () => {
  const refused = { entries: [{ refused: { type: 'ProposerAuth', message: 'no such key' } }] };
  await expect(ask(refused, improve(0))).rejects.toMatchObject({ type: 'ProposerAuth', message: 'no such key' });
  const late = { entries: [{ edit: { y: 1 }, delay: '1h' }] };
  await expect(ask(late, improve(0), { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(await ask({ entries: [{ edit: { y: 1 }, delay: '1ms' }] }, improve(0))).toMatchObject({ status: 'proposed' });
});
