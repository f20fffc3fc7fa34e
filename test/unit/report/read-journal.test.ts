import { describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { readJournal, stageNodes } from '../../../src/report/read-journal.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, experimentsOf, sketchJournal } from '../../support/journal.ts';

describe('reading a journal', () => {
  it('files every event under its stage, in order', () => {
    const { run, events } = exampleReportInput();
    const { stages } = readJournal(run, events, new Map());
    expect(stages.map((stage) => stage.nodes.map(({ node }) => node.id))).toEqual([
      ['n1', 'n2', 'n3', 'n4'],
      ['n5', 'n6', 'n7', 'n8'],
      ['n9', 'n10', 'n11', 'n12'],
      ['n13', 'n14', 'n15', 'n16'],
    ]);
    expect(stages.map(({ base }) => base?.node.id)).toEqual([undefined, 'n1', 'n7', 'n10']);
    expect(stages[2] === undefined ? [] : stageNodes(stages[2]).map(({ id }) => id)).toEqual(['n7', 'n9', 'n10', 'n11', 'n12']);
  });

  it('counts the first of two entries for one thing', () => {
    const run = exampleRun();
    const journal = sketchJournal(run);
    journal.begin('initial_implementation');
    journal.node({ id: 1, scores: [0.9] });
    journal.node({ id: 1, scores: [0.1] });
    journal.replicas(1, [0.8]);
    journal.replicas(1, [0.2]);
    const records = readJournal(run, journal.events, new Map());
    expect(records.nodes.get(nodeId(1))).toMatchObject({ metric: 0.9 });
    expect([...records.replicasOf(nodeId(1), ['digits']).values.values()]).toEqual([0.8]);
  });

  it('knows a node that was made in an earlier stage by that stage’s record', () => {
    const { run, events } = exampleReportInput();
    const records = readJournal(run, events, new Map());
    expect(records.nodes.get(nodeId(7))).toMatchObject({ metric: 0.9527, stage: 'baseline_tuning' });
  });
});

describe('the replicas of a node', () => {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin('initial_implementation');
  journal.node({ id: 1, scores: [0.9] });
  journal.replicas(1, [0.9, null]);
  journal.begin('baseline_tuning', 1);
  journal.replicas(1, [0.9, 0.91, 0.92]);
  journal.begin('creative_research', 1);
  journal.replicas(1, [0.5]);
  const records = readJournal(run, journal.events, new Map());

  it('come from every stage with the same datasets, each seed once', () => {
    const { values, failed } = records.replicasOf(nodeId(1), ['digits']);
    expect([...values.values()]).toEqual([0.9, 0.91, 0.92]);
    expect(failed.size).toBe(0);
  });

  it('are never mixed with those on other datasets', () => {
    expect([...records.replicasOf(nodeId(1), ['digits', 'breast_cancer', 'wine']).values.values()]).toEqual([0.5]);
    expect(records.replicasOf(nodeId(1), ['wine']).values.size).toBe(0);
  });
});

describe('the value of a component', () => {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin('initial_implementation');
  journal.node({ id: 1, scores: [0.9] });
  journal.node({ id: 2, scores: [0.9] });
  const records = readJournal(run, journal.events, experimentsOf({ 1: { 'model.c': 5 } }));

  it('is the experiment’s, else the task’s default', () => {
    const node = records.nodes.get(nodeId(1)) ?? null;
    expect(records.valueOf(node, 'model.c')).toBe(5);
    expect(records.valueOf(node, 'model.family')).toBe('logistic');
    expect(records.valueOf(null, 'model.c')).toBe(1);
  });

  it('is not known for a file or an experiment that could not be read', () => {
    expect(records.valueOf(records.nodes.get(nodeId(1)) ?? null, 'train.py')).toBeNull();
    expect(records.valueOf(records.nodes.get(nodeId(2)) ?? null, 'model.c')).toBeNull();
  });
});
