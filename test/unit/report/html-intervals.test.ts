import { describe, expect, it } from 'vitest';
import { gainBar, gainScale, replicaChart } from '../../../src/report/html-intervals.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const example = exampleReportInput();
const { stages } = buildReport({ resolved: example.run, events: example.events, outcome: 'completed', stages: [] });

describe('the chart of fresh seeds', () => {
  it('has a row per replicated node, the best first, with every seed and the search seed apart', () => {
    const chart = stages[2] === undefined ? null : replicaChart(stages[2], 'accuracy')?.toString();
    expect([...(chart ?? '').matchAll(/>\s*(n\d+)\s*<\/text>/g)].map(([, node]) => node)).toEqual(['n10', 'n7']);
    expect(chart?.match(/class="seed"/g)).toHaveLength(6);
    expect(chart?.match(/class="diamond"/g)).toHaveLength(2);
    expect(chart).toContain('seed 1000007: 0.9721');
    expect(chart).toContain('search seed: 0.9744');
  });

  it('is not drawn where nothing was replicated twice', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('initial_implementation');
    journal.node({ id: 1, scores: [0.9] });
    journal.replicas(1, [0.9, null]);
    const [stage] = buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages;
    expect(stage === undefined ? null : replicaChart(stage, 'accuracy')).toBeNull();
  });

  it('shows a dozen nodes and says how many more there are', () => {
    const resolved = exampleRun();
    const journal = sketchJournal(resolved);
    journal.begin('initial_implementation');
    for (let id = 1; id <= 15; id++) {
      journal.node({ id, scores: [0.9] });
      journal.replicas(id, [0.9, 0.91]);
    }
    const [stage] = buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages;
    const chart = stage === undefined ? '' : String(replicaChart(stage, 'accuracy'));
    expect(chart.match(/class="seed"/g)).toHaveLength(24);
    expect(chart).toContain('3 more nodes are in the tree');
  });
});

describe('the bar of a gain', () => {
  const rows = stages[3]?.ablations ?? [];
  const x = gainScale(rows);
  const [scaler, c] = rows;

  it('lies left of zero for a component that is needed', () => {
    const bar = String(scaler === undefined ? '' : gainBar(scaler, x));
    const [from, to] = [...(/class="bar"\s+x1="([\d.]+)"\s+x2="([\d.]+)"/.exec(bar) ?? [])].slice(1).map(Number);
    expect(from).toBeLessThan(to ?? 0);
    expect(to).toBeLessThan(x(0));
  });

  it('is a hollow dot without an interval for one seed only', () => {
    const bar = String(c === undefined ? '' : gainBar(c, x));
    expect(bar).toContain('class="dot"');
    expect(bar).not.toContain('class="bar"');
  });

  it('is nothing for an ablation that failed', () => {
    expect(scaler === undefined ? null : gainBar({ ...scaler, against: null }, x)).toBeNull();
  });
});
