import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runPaths, type Home } from '../../../src/adapters/layout.ts';
import { readEvents, writeEvent } from '../../../src/adapters/run-store.ts';
import { ItemId, nodeId, STAGE_NAMES } from '../../../src/domain/ids.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { journalReader } from '../../../src/proposers/journal-reader.ts';
import { KeptJournal } from '../../../src/proposers/kept-journal.ts';
import { sketchedNode } from '../../support/tree.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const STAGE = 'initial_implementation';
const RUN = 'r';

function nodeEvent(seq: number, id: number, metric = id / 100): JournalEvent {
  return JournalEvent.parse({ kind: 'node', seq, stage: STAGE, node: sketchedNode({ id, metric }), plan: '', evaluations: [] });
}

function emptyRun(): Home {
  return { root: temporaryFolder() };
}

/** Which nodes a journal has, with their metrics. */
const seen = (journal: KeptJournal, before: number) =>
  journal.latest(1000, before).map((node) => (node.status === 'good' ? [String(node.id), node.metric] : [String(node.id)]));

describe('what proposers ask of a journal', () => {
  /** An event of any kind: a node made, one carried, an item dropped, or a word of a person. */
  const event = fc.record({
    kind: fc.constantFrom('node', 'node', 'base', 'dropped', 'steered'),
    id: fc.integer({ min: 1, max: 6 }),
    stage: fc.constantFrom(...STAGE_NAMES),
    ordinal: fc.nat(3),
  });

  test('is answered as a pass over the whole journal answers it, at any moment of the past', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.nat(32), fc.integer({ min: 1, max: 5 }), (drawn, before, window) => {
        const events = drawn.map(({ kind, id, stage, ordinal }, seq) => {
          const item = ItemId.parse(`improve:n${id}#${ordinal}`);
          const node = { ...sketchedNode({ id, metric: seq }), item };
          const content = { node: { node, plan: '', evaluations: [] }, base: { node, evaluations: [] } };
          const others = { dropped: { item, reason: 'duplicate', message: '' }, steered: { message: 'hm' } };
          return JournalEvent.parse({ kind, seq, stage, ...{ ...content, ...others }[kind] });
        });
        const kept = new KeptJournal();
        for (const one of events) kept.enter(one);
        const past = events.filter(({ seq }) => seq < before);
        const nodes = new Map<string, unknown>();
        for (const one of past) {
          if (one.kind !== 'node' && one.kind !== 'base') continue;
          nodes.delete(one.node.id);
          nodes.set(one.node.id, one.node);
        }
        expect(kept.latest(window, before)).toEqual([...nodes.values()].slice(-window));
        for (let id = 1; id <= 6; id++) {
          expect(kept.node(nodeId(id), before)).toEqual(nodes.get(`n${id}`));
          const settled = past.filter(
            (one) =>
              one.stage === STAGE &&
              ((one.kind === 'node' && one.node.item.startsWith(`improve:n${id}#`)) ||
                (one.kind === 'dropped' && one.item.startsWith(`improve:n${id}#`))),
          );
          expect(kept.settledOf(STAGE, `improve:n${id}#3`, before)).toBe(settled.length);
        }
      }),
    );
  });
});

describe('the journal that a worker keeps', () => {
  test('is what the folder holds, as it grows, whatever moment is asked for', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    for (let seq = 0; seq < 100; seq++) await writeEvent(home, RUN, nodeEvent(seq, seq + 1));
    expect(seen(await read(RUN, 70), 70)).toHaveLength(70);
    expect(seen(await read(RUN, 100), 100)).toHaveLength(100);
    expect(seen(await read(RUN, 3), 3)).toEqual([
      ['n1', 0.01],
      ['n2', 0.02],
      ['n3', 0.03],
    ]);
    await writeEvent(home, RUN, nodeEvent(100, 101));
    expect(seen(await read(RUN, 101), 101)).toHaveLength((await readEvents(home, RUN)).length);
  });

  test('is read once: an event that is known is not looked at again', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    for (const seq of [0, 1, 2]) await writeEvent(home, RUN, nodeEvent(seq, seq + 1));
    await read(RUN, 3);
    for (const seq of [0, 1]) writeFileSync(runPaths(home, RUN).event(seq), 'not JSON');
    await writeEvent(home, RUN, nodeEvent(3, 4));
    expect(seen(await read(RUN, 4), 4)).toHaveLength(4);
  });

  test('is read anew after a reset', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    for (const seq of [0, 1, 2]) await writeEvent(home, RUN, nodeEvent(seq, seq + 1));
    expect(seen(await read(RUN, 3), 3)).toHaveLength(3);
    await writeEvent(home, RUN, nodeEvent(1, 7, 0.5));
    expect(seen(await read(RUN, 2), 2)).toEqual([
      ['n1', 0.01],
      ['n7', 0.5],
    ]);
  });

  test('is read anew when the run was removed and its id is used again', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    await writeEvent(home, RUN, nodeEvent(0, 1));
    writeFileSync(runPaths(home, RUN).runFile, '{}');
    expect(seen(await read(RUN, 1), 1)).toEqual([['n1', 0.01]]);
    rmSync(runPaths(home, RUN).root, { recursive: true });
    await writeEvent(home, RUN, nodeEvent(0, 5));
    writeFileSync(runPaths(home, RUN).runFile, '{}');
    utimesSync(runPaths(home, RUN).runFile, 1, 1);
    expect(seen(await read(RUN, 1), 1)).toEqual([['n5', 0.05]]);
  });

  test('is the same for all who ask at once', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    for (let seq = 0; seq < 20; seq++) await writeEvent(home, RUN, nodeEvent(seq, seq + 1));
    const journals = await Promise.all([20, 5, 12, 20].map(async (before) => seen(await read(RUN, before), before).length));
    expect(journals).toEqual([20, 5, 12, 20]);
  });

  test('does not take an event for missing that is written later', async () => {
    const home = emptyRun();
    const read = journalReader(home);
    await writeEvent(home, RUN, nodeEvent(0, 1));
    expect(seen(await read(RUN, 1000), 1000)).toHaveLength(1);
    await writeEvent(home, RUN, nodeEvent(1, 2));
    expect(seen(await read(RUN, 1000), 1000)).toHaveLength(2);
  });

  test.each([10, 1000])('refuses a journal with a hole, asked for %i events', async (before) => {
    const home = emptyRun();
    for (const seq of [0, 1, 2, 3]) await writeEvent(home, RUN, nodeEvent(seq, seq + 1));
    rmSync(runPaths(home, RUN).event(1));
    await expect(journalReader(home)(RUN, before)).rejects.toMatchObject({ type: 'ArtifactMissing' });
  });
});
