import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRecordEvent } from '../../../src/activities/record-event.ts';
import { readEvents } from '../../../src/adapters/run-store.ts';
import { RunId } from '../../../src/domain/ids.ts';
import { JournalEvent } from '../../../src/domain/journal.ts';
import { readyRun, type ReadyRun } from '../../support/evaluations.ts';

const RUN = RunId.parse('test-run');

const evaluation = (dataset: string, seed: number) => ({
  dataset,
  seed,
  result: {
    status: 'finished',
    value: 0.5,
    evaluation: `${seed}`.padStart(32, '0'),
    attempt: '1.1',
    device: 'cpu0',
    durationMs: 1,
    peakMemoryMiB: null,
    figures: 0,
    cached: false,
  },
});

const node = ({ input }: ReadyRun) => ({
  status: 'good',
  id: 'n1',
  stage: 'baseline_tuning',
  operator: 'tune',
  parent: null,
  item: 'tune#0',
  label: 'x',
  changed: [],
  debugDepth: 0,
  experiment: input.experiment,
  metric: 0.5,
  scores: { a: 0.5 },
});

const folder = ({ home }: ReadyRun, stage: string): string => join(home.root, 'runs', RUN, stage, 'n1');

test('a node enters the journal and its folder, once however often it is recorded', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const record = makeRecordEvent(ready);
  const event = JournalEvent.parse({
    kind: 'node',
    seq: 0,
    stage: 'baseline_tuning',
    node: node(ready),
    plan: 'p',
    evaluations: [evaluation('a', 3)],
  });
  for (let time = 0; time < 2; time++) await record({ runId: RUN, event });
  expect(await readEvents(ready.home, RUN)).toEqual([event]);
  expect(readdirSync(join(folder(ready, 'baseline_tuning'), 'evaluations'))).toEqual(['a-s3']);
});

test('a carried node gets a folder with its program in the stage that starts from it', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const event = JournalEvent.parse({
    kind: 'base',
    seq: 0,
    stage: 'creative_research',
    node: node(ready),
    evaluations: [evaluation('a', 3), evaluation('b', 3)],
  });
  await makeRecordEvent(ready)({ runId: RUN, event });
  const there = folder(ready, 'creative_research');
  expect(readdirSync(there).sort()).toEqual(['evaluations', 'node.json', 'parameters.json', 'plot.py', 'value.py']);
  expect(JSON.parse(readFileSync(join(there, 'node.json'), 'utf8'))).toMatchObject({ stage: 'creative_research' });
});

test('replicas and plots are linked into the folder of the node in their stage', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const record = makeRecordEvent(ready);
  const events = [
    { kind: 'replica', seq: 0, stage: 'baseline_tuning', node: 'n1', replica: 0, metric: 0.5, evaluations: [evaluation('a', 9)] },
    { kind: 'plot', seq: 1, stage: 'baseline_tuning', node: 'n1', evaluations: [evaluation('a', 3)] },
  ];
  for (const event of events) await record({ runId: RUN, event: JournalEvent.parse(event) });
  expect(readdirSync(join(folder(ready, 'baseline_tuning'), 'evaluations')).sort()).toEqual(['a-s3', 'a-s9']);
});

test('other events only enter the journal', async () => {
  const ready = await readyRun({ program: 'value.py' });
  const event = JournalEvent.parse({ kind: 'stage_started', seq: 0, stage: 'baseline_tuning', carried: 'n1' });
  await makeRecordEvent(ready)({ runId: RUN, event });
  expect(await readEvents(ready.home, RUN)).toHaveLength(1);
  expect(existsSync(folder(ready, 'baseline_tuning'))).toBe(false);
});
