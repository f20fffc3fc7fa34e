import { describe, expect, it } from 'vitest';
import { progressChart } from '../../../src/report/html-charts.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

function chartOf(write: (journal: JournalSketch) => void, direction: 'maximize' | 'minimize' = 'maximize'): string | null {
  const resolved = exampleRun({ direction });
  const journal = sketchJournal(resolved);
  journal.begin('initial_implementation');
  write(journal);
  const [stage] = buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages;
  return stage === undefined ? null : (progressChart(stage, 'accuracy', direction)?.toString() ?? null);
}

const path = (chart: string | null): string => /class="path"\s+d="([^"]*)"/.exec(chart ?? '')?.[1] ?? '';
const heights = (chart: string | null): number[] => [...(chart ?? '').matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y));

describe('the course of a stage', () => {
  it('has a mark per node in the order of their numbers, higher for larger values', () => {
    const chart = chartOf((journal) => {
      journal.node({ id: 2, scores: [0.7] });
      journal.node({ id: 1, scores: [0.5] });
      journal.node({ id: 3 });
    });
    const [first = 0, second = 0] = heights(chart);
    expect(second).toBeLessThan(first);
    expect(chart?.match(/class="cross"/g)).toHaveLength(1);
    expect([...(chart ?? '').matchAll(/>(n\d)<\/text>/g)].map(([, node]) => node)).toEqual(['n1', 'n2', 'n3']);
    expect(chart).toContain('aria-label="accuracy of 3 nodes, 1 failed, best n2 with 0.7000"');
  });

  it('steps along the best so far, by the direction of the metric', () => {
    const write = (journal: JournalSketch): void => {
      for (const [index, value] of [0.5, 0.4, 0.6, 0.3].entries()) journal.node({ id: index + 1, scores: [value] });
    };
    expect(path(chartOf(write)).match(/V/g)).toHaveLength(1);
    expect(path(chartOf(write, 'minimize')).match(/V/g)).toHaveLength(2);
  });

  it('is not drawn for fewer than two values', () => {
    expect(chartOf((journal) => journal.node({ id: 1, scores: [0.5] }))).toBeNull();
    expect(chartOf(() => undefined)).toBeNull();
  });

  it('shows the node carried in as a line, and says when nothing beat it', () => {
    const chart = chartOf((journal) => {
      journal.base({ id: 1, scores: [0.9] });
      journal.node({ id: 2, parent: 1, scores: [0.8] });
    });
    expect(chart).toContain('class="base"');
    expect(chart).toContain('none better than the carried one');
  });

  it('keeps its numbers apart when there are many nodes', () => {
    const chart = chartOf((journal) => {
      for (let id = 1; id <= 200; id++) journal.node({ id, scores: [id / 200] });
    });
    expect(chart?.match(/>n\d+<\/text>/g)?.length).toBeLessThanOrEqual(14);
    expect(chart?.match(/class="dot/g)).toHaveLength(200);
  });
});
