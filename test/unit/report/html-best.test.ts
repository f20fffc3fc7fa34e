import { describe, expect, it } from 'vitest';
import { bestSection, cards, glance, surest } from '../../../src/report/html-best.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const example = exampleReportInput();
const model = buildReport({
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
});

describe('the cards', () => {
  it('take the gain from the stage that made the best node, not from the last one', () => {
    expect(String(cards(model))).toContain('Gain over n7, carried in');
    expect(String(surest(model))).toContain('Fresh seeds of n10, n7');
  });

  it('say that a value is of one seed only', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('initial_implementation');
    journal.node({ id: 1, scores: [0.9] });
    const single = buildReport({ resolved, events: journal.events, outcome: 'stopped', stages: [] });
    expect(String(cards(single))).toContain('not replicated; on the search seed alone');
    expect(String(cards(single))).toContain('none failed');
    expect(surest(single)).toBeNull();
  });
});

describe('the best program', () => {
  it('has its parameters and every step of its lineage', () => {
    const section = String(bestSection(model.best));
    for (const { node, label } of model.best?.lineage ?? []) expect(section).toMatch(new RegExp(`<b>${node}</b>[^]*${label}`));
    expect(section).toContain('<code>model.c 1 → 10</code>');
  });

  it('says that all is at its default, or not known, where that is so', () => {
    const { best } = model;
    if (best === null) throw new TypeError('no best node');
    expect(String(bestSection({ ...best, parameters: [] }))).toContain('Every parameter is at the task’s default.');
    expect(String(bestSection({ ...best, parameters: null }))).toContain('Its parameters could not be read.');
    expect(bestSection(null)).toBeNull();
  });
});

it('the glance has a row per stage with its verdict', () => {
  const table = String(glance(model));
  for (const { name } of model.stages) expect(table).toContain(`href="#${name}"`);
  expect(table).toMatch(/class="better">\s*better by 0\.0221/);
  expect(table).toMatch(/class="noise">\s*within the noise/);
});
