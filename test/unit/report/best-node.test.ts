import { describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { buildReport, type ReportInput } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const example = exampleReportInput();
const input: ReportInput = {
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
};

describe('the best node of a run', () => {
  it('is the one that the run named, with the numbers of the last stage that evaluated it', () => {
    const { best } = buildReport({ ...input, best: nodeId(7) });
    expect(best).toMatchObject({
      node: 'n7',
      stage: 'creative_research',
      madeIn: 'baseline_tuning',
      metric: expect.closeTo((0.9527 + 0.9649 + 0.9722) / 3, 12),
    });
    expect(best?.estimate.values.map(({ value }) => value)).toEqual([0.9655, 0.9668, 0.9701]);
  });

  it('is the best of the last stage with one where the run named none, or one that is not there or not good', () => {
    for (const named of [null, nodeId(99), nodeId(3)]) {
      expect(buildReport({ ...input, best: named }).best).toMatchObject({ node: 'n10', stage: 'ablation_studies' });
    }
    const early = buildReport({ ...input, events: example.events.filter(({ stage }) => stage === 'initial_implementation') });
    expect(early.best).toMatchObject({ node: 'n1', stage: 'initial_implementation' });
  });

  it('lists the parameters that count and differ from the task’s defaults', () => {
    expect(buildReport(input).best?.parameters).toEqual([
      { key: 'features.reduction', value: 'pca', initial: 'none', about: '' },
      { key: 'features.scaler', value: 'standard', initial: 'none', about: 'how features are scaled' },
      { key: 'model.c', value: 10, initial: 1, about: 'inverse of the regularisation' },
      { key: 'model.family', value: 'svc', initial: 'logistic', about: '' },
    ]);
  });

  it('does not list a parameter that has no effect under the others', () => {
    const run = exampleRun();
    const journal = sketchJournal(run);
    journal.begin('initial_implementation');
    journal.node({ id: 10, scores: [0.9] });
    const experiments = new Map(example.experiments);
    const [ref, experiment] = [...experiments][9] ?? [];
    if (ref === undefined || experiment === undefined) throw new TypeError('no experiment');
    experiments.set(ref, { ...experiment, parameters: { 'model.family': 'svc', 'model.depth': 9, unknown: true } });
    const { best } = buildReport({ resolved: run, events: journal.events, experiments, outcome: 'completed', stages: [] });
    expect(best?.parameters?.map(({ key, initial }) => [key, initial])).toEqual([
      ['model.family', 'logistic'],
      ['unknown', null],
    ]);
  });

  it('says that its parameters are not known where the experiment could not be read', () => {
    const { best } = buildReport({ resolved: example.run, events: example.events, outcome: 'completed', stages: [] });
    expect(best).toMatchObject({ parameters: null, kept: false });
  });

  it('comes with the way from its root, across the stages', () => {
    const lineage = buildReport(input).best?.lineage ?? [];
    expect(lineage.map(({ node, madeIn, metric, datasets }) => [node, madeIn, metric, datasets.length])).toEqual([
      ['n1', 'initial_implementation', 0.9305, 1],
      ['n5', 'baseline_tuning', 0.95, 1],
      ['n7', 'baseline_tuning', 0.9527, 1],
      ['n10', 'creative_research', expect.closeTo(0.9744, 10), 3],
    ]);
    expect(lineage[2]?.changes).toEqual([{ key: 'model.c', from: 1, to: 10 }]);
  });

  it('ends its way where a parent is missing or comes round again', () => {
    const run = exampleRun();
    const journal = sketchJournal(run);
    journal.begin('initial_implementation');
    journal.node({ id: 1, parent: 2, scores: [0.9] });
    journal.node({ id: 2, parent: 1, scores: [0.8] });
    const { best } = buildReport({ resolved: run, events: journal.events, outcome: 'completed', stages: [] });
    expect(best?.lineage.map(({ node }) => node)).toEqual(['n2', 'n1']);
  });
});
