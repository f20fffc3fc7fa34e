import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/domain/journal.ts';
import type { ResolvedRun } from '../../../src/domain/resolved-run.ts';
import { estimateText } from '../../../src/report/headline.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const headlineOf = (resolved: ResolvedRun, events: readonly JournalEvent[]) =>
  buildReport({ resolved, events, outcome: 'completed', stages: [] }).headline;

describe('the headline', () => {
  it('says what was found, how sure that is and what failed', () => {
    const { run, events } = exampleReportInput();
    const { found, sure, failed } = headlineOf(run, events);
    expect(found).toBe(
      'n10 (svc with pca) is the best program: accuracy 0.9724, mean over digits, breast_cancer, wine, averaged over 3 fresh seeds (higher is better).',
    );
    expect(sure).toMatch(
      /^95 % interval 0\.9658 to 0\.9790 over 3 fresh seeds; the seed that chose it gave 0\.9744\. Against n7, which creative research started from: within the noise: better by 0\.0049/,
    );
    expect(failed).toBe('4 of 16 nodes failed: 1 exception, 1 timeout, 1 out_of_memory, 1 no_result.');
  });

  it('does not pretend to be sure of one seed', () => {
    const run = exampleRun({ direction: 'minimize' });
    const journal = sketchJournal(run);
    journal.begin('initial_implementation');
    journal.node({ id: 1, label: 'svc', scores: [0.25] });
    expect(headlineOf(run, journal.events)).toEqual({
      found: 'n1 (svc) is the best program: log_loss 0.2500, on digits, on the search seed alone (lower is better).',
      sure: 'Not replicated: the value comes from the seed that chose the program, so how much of it is luck is unknown.',
      failed: 'None of 1 node failed. Not run: baseline tuning, creative research, ablation studies.',
    });
    journal.replicas(1, [0.3]);
    expect(headlineOf(run, journal.events).sure).toMatch(/^Not replicated: the value comes from one fresh seed/);
  });

  it('says that nothing was found', () => {
    const { found, sure, failed } = headlineOf(exampleRun(), []);
    expect(found).toBe('No good node: nothing was found that has a value of accuracy.');
    expect(sure).toBe('There is nothing to be sure of.');
    expect(failed).toMatch(/^No node was made\. Not run: initial implementation, /);
  });
});

describe('an estimate in words', () => {
  const none = { n: 0, failed: 0, values: [], mean: null, deviation: null, low: null, high: null };

  it('has mean, interval and n', () => {
    expect(estimateText({ ...none, n: 3, mean: 0.9, low: 0.85, high: 0.95 })).toBe(
      '0.9000 (95 % interval 0.8500 to 0.9500, n = 3 fresh seeds)',
    );
    expect(estimateText({ ...none, n: 1, mean: 0.9 })).toBe('0.9000 (no interval, n = 1 fresh seed)');
    expect(estimateText(none)).toBe('not replicated');
  });
});
