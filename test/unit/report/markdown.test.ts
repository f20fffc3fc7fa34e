import { describe, expect, it } from 'vitest';
import { markdownReport } from '../../../src/report/markdown.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { HOSTILE_TEXTS } from '../../support/hostile.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const example = exampleReportInput();
const model = buildReport({
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
});
const text = markdownReport(model, new Map());

describe('report.md', () => {
  it('begins with what was found, how sure that is and what failed', () => {
    const [title, , goal, , found, , sure, , failed] = text.split('\n');
    expect(title).toBe('# Research run digits-20261129-1');
    expect(goal).toBe('Find a classifier that is right as often as possible on three small data sets.');
    expect(found).toMatch(/^\*\*n10 \(svc with pca\) is the best program: accuracy 0\.9724/);
    expect(sure).toMatch(/^95 % interval 0\.9658 to 0\.9790 over 3 fresh seeds/);
    expect(failed).toMatch(/^4 of 16 nodes failed/);
  });

  it('has the best program with parameters, lineage and where it lies', () => {
    expect(text).toContain('The program lies in [`best/`](best/)');
    expect(text).toContain('| `model.c` | `10` | `1` | inverse of the regularisation |');
    expect(text).toContain('3. n7, tune, model.c: 0.9527 on digits (`model.c 1 → 10`)');
    expect(text).toContain('(creative_research/n10/)');
  });

  it('has one row per stage and one section per stage', () => {
    for (const title of ['1. Initial implementation', '2. Baseline tuning', '3. Creative research', '4. Ablation studies']) {
      expect(text).toContain(`\n## ${title}\n`);
      expect(text).toContain(`\n| ${title} | `);
    }
  });

  it('keeps every table row to the cells of its head, whatever the texts hold', () => {
    const hostile = hostileReport();
    let cells = 0;
    for (const line of hostile.split('\n')) {
      const count = line.startsWith('|') ? (line.match(/(?<!\\)\|/g)?.length ?? 0) : 0;
      if (count > 0 && cells > 0) expect(count, line).toBe(cells);
      cells = count;
    }
  });

  it('keeps hostile texts to their line and without effect', () => {
    const hostile = hostileReport();
    expect(hostile).not.toMatch(/<(script|img|svg|h1|\/style)/i);
    expect(hostile).not.toMatch(/(?<!\\)\]\(javascript:/);
    expect(hostile.split('\n').filter((line) => line.startsWith('# '))).toEqual(['# Research run digits-20261129-1']);
    expect(hostile).not.toContain('\u001b');
    expect(hostile).not.toContain('\u202e');
  });

  it('lists warnings and ignored keys, and nothing where there are none', () => {
    expect(text).toContain('### Warnings\n\n- data_dir has no effect: the task brings its data');
    expect(text).toContain('- `agent.vlm_feedback.model`');
    expect(
      markdownReport(buildReport({ resolved: exampleRun(), events: [], outcome: 'stopped', stages: [] }), new Map()),
    ).not.toContain('### Warnings');
  });

  it('is readable for a run that found nothing', () => {
    const nothing = markdownReport(
      buildReport({ resolved: exampleRun(), events: [], outcome: 'cancelled', stages: [] }),
      new Map(),
    );
    expect(nothing).toContain('**No good node: nothing was found that has a value of accuracy.**');
    expect(nothing).toContain('Outcome: cancelled.');
    expect(nothing).not.toContain('## The best program');
    expect(nothing).toContain('It was not reached: the run was cancelled.');
  });
});

function hostileReport(): string {
  const run = exampleRun({ goal: HOSTILE_TEXTS[3] ?? '', warnings: HOSTILE_TEXTS, ignoredKeys: HOSTILE_TEXTS });
  const journal = sketchJournal(run);
  journal.begin('initial_implementation');
  for (const [index, hostile] of HOSTILE_TEXTS.entries()) {
    journal.node({ id: 2 * index + 1, label: hostile, plan: hostile, scores: [0.9] });
    journal.node({ id: 2 * index + 2, label: hostile, message: hostile, reason: index % 2 === 0 ? 'exception' : 'timeout' });
    journal.dropped(hostile || 'x', 'duplicate', hostile);
    journal.steered(hostile);
  }
  return markdownReport(buildReport({ resolved: run, events: journal.events, outcome: 'completed', stages: [] }), new Map());
}
