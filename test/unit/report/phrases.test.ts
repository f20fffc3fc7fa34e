import { describe, expect, it } from 'vitest';
import { buildReport } from '../../../src/report/model.ts';
import {
  againstText,
  changeText,
  endingText,
  evaluationsText,
  nodesList,
  nodesText,
  readingNotes,
  runFactRows,
  scoresText,
  stateText,
} from '../../../src/report/phrases.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const { run, events } = exampleReportInput();
const model = buildReport({ resolved: run, events, outcome: 'completed', stages: [] });

describe('a change', () => {
  it.each([
    [{ key: 'a', from: 1, to: 2 }, 'a 1 → 2'],
    [{ key: 'a', from: 1, to: 1 }, 'a = 1'],
    [{ key: 'a', from: null, to: true }, 'a = true'],
    [{ key: 'train.py', from: null, to: null }, 'train.py'],
    [{ key: 'a', from: 'x', to: null }, 'a x → removed'],
  ])('%j is %s', (change, text) => {
    expect(changeText(change)).toBe(text);
  });
});

describe('a state', () => {
  it.each([
    [{ failure: null, best: true, carried: true }, 'good, best, carried into the stage'],
    [{ failure: { reason: 'timeout', message: '' }, best: false, carried: false }, 'failed: timeout'],
    [{ failure: null, best: false, carried: false, pruned: true }, 'good, pruned by a person'],
    [
      { failure: { reason: 'timeout', message: '' }, best: false, carried: false, pruned: true },
      'failed: timeout, pruned by a person',
    ],
    [{ failure: { reason: 'pruned', message: '' }, best: false, carried: false, pruned: true }, 'failed: pruned'],
  ] as const)('%j is %s', (row, text) => {
    expect(stateText(row)).toBe(text);
  });
});

describe('what a stage brought', () => {
  it('is said for every way it can go', () => {
    expect(model.stages.map(againstText)).toEqual([
      'started from nothing',
      expect.stringMatching(/^better by 0\.0221/),
      expect.stringMatching(/^within the noise/),
      'nothing better was found',
    ]);
    const nothing = buildReport({ resolved: exampleRun(), events: [], outcome: 'stopped', stages: [] });
    expect(nothing.stages.slice(0, 1).map(againstText)).toEqual(['not run']);
  });

  it('is not said of a carried node that has no value here', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('initial_implementation', 1);
    const first = (): string | undefined =>
      buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages.map(againstText)[0];
    expect(first()).toBe('no good node');
    journal.node({ id: 2, scores: [0.9] });
    expect(first()).toBe('the carried node has no value here');
  });
});

it('counts and endings read as sentences', () => {
  expect(nodesText(model.counts)).toBe('16 nodes: 12 good, 4 failed');
  expect(evaluationsText(model.counts)).toMatch(
    /^94 evaluations: 6 failed, 4 taken from earlier results; \d+ min \d+ s of device time$/,
  );
  expect(model.stages.map(endingText)[3]).toBe('Ended: every component was ablated.');
  expect(
    scoresText([
      { dataset: 'a', value: 1 },
      { dataset: 'b', value: 0.5 },
    ]),
  ).toBe('a 1.0000, b 0.5000');
  expect(nodesList(Array.from({ length: 14 }, (_, index) => `n${index}`))).toMatch(/^n0, .*, n11, \.\.\.$/);
});

describe('how to read the numbers', () => {
  it('names the search seed and says that n leaves it out', () => {
    const notes = readingNotes(model).join(' ');
    expect(notes).toContain('search seed (7)');
    expect(notes).toContain('The search seed is never among them.');
    expect(notes).toContain('otherwise it is called noise');
  });

  it('warns of chance where many intervals stand side by side', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('ablation_studies', 1);
    journal.base({ id: 1, scores: [0.9, 0.9, 0.9] });
    journal.replicas(1, [0.9, 0.91]);
    for (let id = 2; id <= 41; id++) {
      journal.node({ id, parent: 1, operator: 'ablate', label: `c${id}`, scores: [0.9, 0.9, 0.9] });
      journal.replicas(id, [0.9, 0.91]);
    }
    const notes = readingNotes(buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }));
    expect(notes.at(-1)).toBe('Each interval stands for itself: among 40 ablations about 2 would look real by chance.');
    expect(readingNotes(model).at(-1)).not.toContain('by chance');
  });
});

it('what the run was made with has direction, seed, devices and tier', () => {
  const rows = Object.fromEntries(runFactRows(model));
  expect(rows).toMatchObject({
    Metric: 'accuracy, maximize (mean over the datasets)',
    'Search seed': '7',
    Devices: 'cpu0 on desk, cpu1 on desk',
    'Isolation tier': 'process',
    Deterministic: 'no',
  });
});
