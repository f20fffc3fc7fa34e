import { describe, expect, it } from 'vitest';
import { ablations } from '../../../src/report/ablation.ts';
import { readJournal } from '../../../src/report/read-journal.ts';
import type { Ablation } from '../../../src/report/schema.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

function tableOf(write: (journal: JournalSketch) => void): Ablation[] {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin('ablation_studies', 1);
  journal.base({ id: 1, label: 'all', scores: [0.9, 0.9, 0.9] });
  write(journal);
  const records = readJournal(run, journal.events, new Map());
  const stage = records.stages[3];
  return stage === undefined ? [] : ablations(records, stage);
}

const ablate = (id: number, label: string, scores?: readonly number[]) =>
  ({ id, parent: 1, operator: 'ablate', label, ...(scores === undefined ? {} : { scores }) }) as const;

describe('the ablation table', () => {
  it('holds each component against the whole, the most needed first', () => {
    const { run, events } = exampleReportInput();
    const records = readJournal(run, events, new Map());
    const stage = records.stages[3];
    const rows = stage === undefined ? [] : ablations(records, stage);
    expect(rows.map(({ component, node, against }) => [component, node, against?.node, against?.verdict])).toEqual([
      ['features.scaler', 'n13', 'n10', 'worse'],
      ['model.c', 'n16', 'n10', 'unknown'],
      ['features.reduction', 'n14', 'n10', 'noise'],
    ]);
    expect(rows[0]?.meaning).toMatch(/^needed: without it worse by 0\.2050 \(95 % interval 0\.\d+ to 0\.\d+\)$/);
    expect(rows[1]?.meaning).toMatch(/^not replicated \(n16\): worse by 0\.0028 on the search seed alone/);
    expect(rows[2]?.meaning).toMatch(/^no effect beyond the noise/);
  });

  it('calls a component harmful without which the program is better', () => {
    const [row] = tableOf((journal) => {
      journal.node(ablate(2, 'a', [0.95, 0.95, 0.95]));
      journal.replicas(1, [0.9, 0.91, 0.9]);
      journal.replicas(2, [0.95, 0.96, 0.951]);
    });
    expect(row?.meaning).toMatch(/^harmful: without it better by 0\.0503/);
  });

  it('counts the repaired program where the ablated one failed', () => {
    const [row, ...rest] = tableOf((journal) => {
      journal.node(ablate(2, 'a'));
      journal.node({ ...ablate(3, 'a'), parent: 2, operator: 'debug' });
      journal.node({ ...ablate(4, 'a', [0.8, 0.8, 0.8]), parent: 3, operator: 'debug' });
      journal.node({ ...ablate(5, 'a', [0.1, 0.1, 0.1]), parent: 4, operator: 'debug' });
    });
    expect(rest).toEqual([]);
    expect(row).toMatchObject({ node: 'n4', component: 'a', metric: expect.closeTo(0.8, 12), failure: null });
  });

  it('says that the program fails without it, and puts that first', () => {
    const rows = tableOf((journal) => {
      journal.node(ablate(2, 'a', [0.5, 0.5, 0.5]));
      journal.node(ablate(3, 'b'));
    });
    expect(rows.map(({ component }) => component)).toEqual(['b', 'a']);
    expect(rows[0]).toMatchObject({
      failure: 'exception',
      against: null,
      metric: null,
      meaning: 'the program fails without it: the program raised an exception',
    });
  });

  it('has nothing to compare with where the whole failed', () => {
    const run = exampleRun();
    const journal = sketchJournal(run);
    journal.begin('ablation_studies', 1);
    journal.base({ id: 1 });
    journal.node(ablate(2, 'a', [0.5, 0.5, 0.5]));
    const records = readJournal(run, journal.events, new Map());
    const stage = records.stages[3];
    expect(stage === undefined ? [] : ablations(records, stage)).toMatchObject([
      { against: null, meaning: 'nothing to compare it with' },
    ]);
  });
});
