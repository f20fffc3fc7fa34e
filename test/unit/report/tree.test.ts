import { describe, expect, it } from 'vitest';
import { nodeId, type StageName } from '../../../src/domain/ids.ts';
import { readJournal } from '../../../src/report/read-journal.ts';
import type { TreeRow } from '../../../src/report/schema.ts';
import { total, treeRows } from '../../../src/report/tree.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

function rowsOf(write: (journal: JournalSketch) => void, stage: StageName = 'initial_implementation'): TreeRow[] {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin(stage);
  write(journal);
  const records = readJournal(run, journal.events, new Map());
  const found = records.stages.find(({ definition }) => definition.name === stage);
  return found === undefined ? [] : treeRows(records, found, null);
}

const shape = (rows: readonly TreeRow[]): string[] => rows.map(({ node, depth }) => `${depth}:${node}`);

describe('the tree of a stage', () => {
  it('lists children right below their parent, in the order in which they were made', () => {
    const rows = rowsOf((journal) => {
      journal.node({ id: 1, scores: [0.9] });
      journal.node({ id: 2, scores: [0.8] });
      journal.node({ id: 3, parent: 1, operator: 'tune', scores: [0.8] });
      journal.node({ id: 4, parent: 3, operator: 'tune', scores: [0.8] });
      journal.node({ id: 5, parent: 1, operator: 'tune', scores: [0.8] });
    });
    expect(shape(rows)).toEqual(['0:n1', '1:n3', '2:n4', '1:n5', '0:n2']);
  });

  it('marks what a person pruned and what descends from it, whenever it was made, and nothing else', () => {
    const rows = rowsOf((journal) => {
      journal.node({ id: 1, scores: [0.9] });
      journal.node({ id: 2, scores: [0.8] });
      journal.node({ id: 3, parent: 2, operator: 'tune', scores: [0.8] });
      journal.steered('n2 pruned', 2);
      journal.node({ id: 4, parent: 3, operator: 'tune', reason: 'pruned' });
      journal.node({ id: 5, parent: 1, operator: 'tune', scores: [0.8] });
    });
    expect(rows.filter(({ pruned }) => pruned === true).map(({ node }) => node)).toEqual(['n2', 'n3', 'n4']);
  });

  it('has the carried node as its root', () => {
    const { run, events, experiments } = exampleReportInput();
    const records = readJournal(run, events, experiments);
    const stage = records.stages[2];
    const rows = stage === undefined ? [] : treeRows(records, stage, nodeId(10));
    expect(shape(rows)).toEqual(['0:n7', '1:n9', '1:n10', '2:n12', '1:n11']);
    expect(rows[0]).toMatchObject({ carried: true, best: false, folder: 'creative_research/n7', madeIn: 'baseline_tuning' });
    expect(rows[2]).toMatchObject({ node: 'n10', carried: false, best: true, state: 'good', metric: expect.closeTo(0.9744, 10) });
    expect(rows[2]?.changes).toEqual([
      { key: 'features.reduction', from: 'none', to: 'pca' },
      { key: 'model.family', from: 'logistic', to: 'svc' },
    ]);
    expect(rows[2]?.scores).toEqual([
      { dataset: 'digits', value: 0.9861 },
      { dataset: 'breast_cancer', value: 0.9649 },
      { dataset: 'wine', value: 0.9722 },
    ]);
  });

  it('prints a node whose parent the stage does not know as a root', () => {
    expect(shape(rowsOf((journal) => journal.node({ id: 9, parent: 4, scores: [0.9] })))).toEqual(['0:n9']);
  });

  it('loses no node to parents in a circle', () => {
    const rows = rowsOf((journal) => {
      journal.node({ id: 1, parent: 2, scores: [0.9] });
      journal.node({ id: 2, parent: 1, scores: [0.9] });
      journal.node({ id: 3, scores: [0.9] });
    });
    expect(rows.map(({ node }) => node).sort()).toEqual(['n1', 'n2', 'n3']);
  });

  it('keeps why a node failed, and what it measured before', () => {
    const [row] = rowsOf((journal) => journal.node({ id: 1, reason: 'timeout', message: 'ran longer than 60 s' }));
    expect(row).toMatchObject({
      state: 'buggy',
      metric: null,
      scores: [],
      failure: { reason: 'timeout', message: 'ran longer than 60 s' },
    });
  });

  it('stands a chain of thousands and a star of thousands', () => {
    const chain = rowsOf((journal) => {
      for (let id = 1; id <= 5000; id++) journal.node({ id, parent: id === 1 ? null : id - 1, scores: [0.9] });
    });
    expect(chain.at(-1)).toMatchObject({ node: 'n5000', depth: 4999 });
    const star = rowsOf((journal) => {
      for (let id = 1; id <= 5000; id++) journal.node({ id, parent: id === 1 ? null : 1, scores: [0.9] });
    });
    expect(star.at(-1)).toMatchObject({ node: 'n5000', depth: 1 });
  });

  it('counts the device time of what was run, not of earlier results', () => {
    const [run, cached] = rowsOf((journal) => {
      journal.node({ id: 1, scores: [0.9] });
      journal.node({ id: 2, scores: [0.9], cached: true });
    });
    expect([run?.durationMs, cached?.durationMs]).toEqual([1500, 0]);
  });
});

it('a sum stays a number', () => {
  expect(total([1, 2, 3])).toBe(6);
  expect(total([Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.MAX_VALUE);
});
