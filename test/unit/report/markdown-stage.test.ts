import { describe, expect, it } from 'vitest';
import { markdownStage } from '../../../src/report/markdown-stage.ts';
import { buildReport } from '../../../src/report/model.ts';
import type { FigureFiles } from '../../../src/report/phrases.ts';
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

function section(number: number, figures: FigureFiles = new Map()): string {
  const stage = model.stages[number - 1];
  return stage === undefined ? '' : markdownStage(stage, 'accuracy', figures).join('\n');
}

describe('the section of a stage', () => {
  it('has goal, ending, best with its comparisons', () => {
    const text = section(2);
    expect(text).toContain('Goal: tune what works, component by component. Ended: 4 of 4 nodes.');
    expect(text).toContain('Best: **n7**, model.c.');
    expect(text).toMatch(/- accuracy on fresh seeds: 0\.9509 \(95 % interval 0\.9403 to 0\.9614, n = 3 fresh seeds\)/);
    expect(text).toMatch(/- against its parent n5: not replicated \(n5\)/);
    expect(text).toMatch(/- against the carried n1: better by 0\.0221/);
  });

  it('has the tree as a nested list with operator, state, changes and values', () => {
    const text = section(2);
    expect(text).toContain('\n- ✓ n1 draft logistic: **0.9305** good, carried into the stage');
    expect(text).toContain('\n  - ✓ n5 tune features.scaler (`features.scaler none → standard`): **0.9500** good\n');
    expect(text).toContain('\n    - ✓ n7 tune model.c (`model.c 1 → 10`): **0.9527** good, best; fresh seeds: 0.9509');
    expect(text).toContain('\n    - ✗ n8 tune train.augment (`train.augment false → true`): failed: out_of_memory');
  });

  it('has failures and drops with counts and examples', () => {
    expect(section(1)).toContain(
      "| the program raised an exception | 1 | n3 | ValueError: could not convert string to float: 'auto' |",
    );
    expect(section(2)).toContain(
      '| there was nothing left to try | 1 | tune:n7:model.c#3: every value of model.c has been tried |',
    );
    expect(section(3)).not.toContain('What failed');
    expect(section(3)).toContain('Changed by a person:\n\n- setWorkers: 2 workers from now on');
  });

  it('has the ablation table', () => {
    expect(section(4)).toMatch(
      /\| `features\.scaler` \| n13 \| 0\.7679 \| 0\.7674 \(95 % interval [^|]*\) \| needed: without it worse by 0\.2050/,
    );
  });

  it('links the figures that are there', () => {
    const [folder] = model.stages[2]?.figures.map((figure) => figure.folder) ?? [];
    const files = new Map([
      [folder ?? '', [{ name: 'a](b).png', href: `${folder}/a%5D.png`, dataUri: 'data:image/png;base64,AA' }]],
    ]);
    expect(section(3, files)).toContain(String.raw`![n10, plot, seed 7: a\](b).png](` + `${folder}/a%5D.png)`);
    expect(section(3, files)).not.toContain('data:');
    expect(section(3)).not.toContain('### Figures');
  });

  it('is short for a stage that never began', () => {
    const empty = buildReport({ resolved: exampleRun(), events: [], outcome: 'stopped', stages: [] }).stages[0];
    expect(empty === undefined ? [] : markdownStage(empty, 'accuracy', new Map())).toHaveLength(4);
  });

  it('stops indenting a chain before it becomes a code block, and names the parents from there', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('initial_implementation');
    for (let id = 1; id <= 20; id++) journal.node({ id, parent: id === 1 ? null : id - 1, operator: 'tune', scores: [0.9] });
    const stage = buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages[0];
    const lines = stage === undefined ? [] : markdownStage(stage, 'accuracy', new Map());
    const last = lines.find((line) => line.includes('✓ n20 '));
    expect(last).toMatch(/^ {24}- ✓ n20 from n19 tune /);
  });
});
