import { describe, expect, it } from 'vitest';
import { htmlStage } from '../../../src/report/html-stage.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

const example = exampleReportInput();
const model = buildReport({
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
});

function section(number: number): string {
  const stage = model.stages[number - 1];
  return stage === undefined ? '' : String(htmlStage(stage, model, new Map()));
}

function firstSection(write: (journal: JournalSketch) => void): string {
  const resolved = exampleRun();
  const journal = sketchJournal(resolved);
  write(journal);
  const report = buildReport({ resolved, events: journal.events, outcome: 'stopped', stages: [] });
  return report.stages
    .slice(0, 1)
    .map((stage) => String(htmlStage(stage, report, new Map())))
    .join('');
}

describe('the section of a stage', () => {
  it('names the comparisons with parent and carried node, once where they are one', () => {
    expect(section(2)).toMatch(/Against its parent\s+n5:\s+<span class="unknown">/);
    expect(section(2)).toMatch(/Against the carried\s+n1:\s+<span class="better">/);
    expect(section(3).match(/Against /g)).toHaveLength(1);
    expect(section(3)).toMatch(/Against its parent, the carried\s+n7/);
    expect(section(4)).not.toContain('Against ');
  });

  it('does not paint a component that is needed as bad news', () => {
    expect(section(4)).toMatch(/<span class="strong">\s*needed: /);
    expect(section(4)).toMatch(/<span class="noise">\s*no effect beyond the noise/);
  });

  it('has the failures by reason, and leaves the part out where nothing was lost', () => {
    expect(section(1)).toMatch(/<span class="bad">exception<\/span>/);
    expect(section(3)).not.toContain('What failed');
    expect(section(3)).toContain('Changed by a person');
  });

  it('is short for a stage without a node, and says that none is good where all failed', () => {
    expect(firstSection(() => undefined)).not.toContain('<h3>');
    expect(
      firstSection((journal) => {
        journal.begin('initial_implementation');
        journal.node({ id: 1 });
      }),
    ).toContain('No good node.');
  });
});
