import { describe, expect, it } from 'vitest';
import { noOutcomes } from '../../../src/domain/messages.ts';
import { buildReport, type ReportInput } from '../../../src/report/model.ts';
import { ReportModel } from '../../../src/report/schema.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun } from '../../support/journal.ts';

const example = exampleReportInput();
const input: ReportInput = {
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
};

describe('a report as data', () => {
  it('fits its schema and comes back from JSON as it was', () => {
    const model = buildReport(input);
    expect(ReportModel.parse(JSON.parse(JSON.stringify(model)))).toEqual(model);
  });

  it('counts what is in the journal', () => {
    const events = example.events;
    const nodes = events.filter((event) => event.kind === 'node');
    const evaluations = events.flatMap((event) => ('evaluations' in event ? event.evaluations : []));
    expect(buildReport(input).counts).toEqual({
      nodes: nodes.length,
      good: nodes.filter(({ node }) => node.status === 'good').length,
      buggy: nodes.filter(({ node }) => node.status === 'buggy').length,
      replicas: events.filter(({ kind }) => kind === 'replica').length,
      evaluations: evaluations.length,
      failedEvaluations: evaluations.filter(({ result }) => result.status === 'failed').length,
      cached: evaluations.filter(({ result }) => result.cached).length,
      durationMs: evaluations.filter(({ result }) => !result.cached).length * 1500,
    });
  });

  it('has the metric of every node as the journal has it', () => {
    const { stages } = buildReport(input);
    for (const event of example.events) {
      if (event.kind !== 'node' && event.kind !== 'base') continue;
      const row = stages.find(({ name }) => name === event.stage)?.tree.find(({ node }) => node === event.node.id);
      expect(row).toMatchObject(
        event.node.status === 'good' ? { metric: event.node.metric } : { metric: null, failure: { reason: event.node.reason } },
      );
    }
  });

  it('says with what the run was made', () => {
    expect(buildReport(input).run).toEqual({
      id: 'digits-20261129-1',
      task: 'digits',
      forkedFrom: null,
      goal: 'Find a classifier that is right as often as possible on three small data sets.',
      metric: { name: 'accuracy', direction: 'maximize', aggregation: 'mean' },
      datasets: ['digits', 'breast_cancer', 'wine'],
      searchSeed: 7,
      numSeeds: 3,
      devices: [
        { name: 'cpu0', kind: 'cpu', host: 'desk' },
        { name: 'cpu1', kind: 'cpu', host: 'desk' },
      ],
      workers: 2,
      tier: 'process',
      strategy: 'in_order',
      schedule: 'barrier',
      proposer: 'search_space',
      deterministic: false,
      python: '3.11.2',
      warnings: ['data_dir has no effect: the task brings its data'],
      ignoredKeys: ['report.model', 'agent.vlm_feedback.model'],
    });
  });

  it('is there for a run without a single event', () => {
    const model = buildReport({ resolved: exampleRun(), events: [], outcome: 'cancelled', stages: [] });
    expect(model).toMatchObject({ best: null, outcome: 'cancelled', counts: { nodes: 0, evaluations: 0 } });
    expect(model.stages.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'not_started'));
    expect(model.stages.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('fills what the journal does not say from the workflow’s summaries', () => {
    const summary = {
      stage: 'baseline_tuning',
      reason: 'skipped',
      text: 'skipped by a person',
      best: null,
      outcomes: noOutcomes(),
    } as const;
    const model = buildReport({ resolved: exampleRun(), events: [], outcome: 'stopped', stages: [summary] });
    expect(model.stages[1]).toMatchObject({ state: 'not_started', reason: 'skipped', ending: 'skipped by a person' });
    expect(model.stages[0]).toMatchObject({ reason: null });
  });
});
