import { describe, expect, it } from 'vitest';
import type { RunOutcome, StageSummary } from '../../../src/domain/messages.ts';
import { noOutcomes } from '../../../src/domain/messages.ts';
import { readJournal } from '../../../src/report/read-journal.ts';
import type { StageReport } from '../../../src/report/schema.ts';
import { stageReport } from '../../../src/report/stage-report.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { exampleRun, sketchJournal, type JournalSketch, type RunChanges } from '../../support/journal.ts';

interface Case {
  readonly write?: (journal: JournalSketch) => void;
  readonly outcome?: RunOutcome;
  readonly summary?: StageSummary;
  readonly run?: RunChanges;
}

function firstStage({ write, outcome = 'completed', summary, run: changes }: Case): StageReport {
  const run = exampleRun(changes);
  const journal = sketchJournal(run);
  write?.(journal);
  const records = readJournal(run, journal.events, new Map());
  const [stage] = records.stages;
  if (stage === undefined) throw new TypeError('no stage');
  return stageReport(records, stage, { outcome, summary });
}

const summaryOf = (reason: StageSummary['reason'], text = ''): StageSummary => ({
  stage: 'initial_implementation',
  reason,
  text,
  best: null,
  outcomes: noOutcomes(),
});

describe('why a stage ended', () => {
  it('is the journal’s word where the stage has an end', () => {
    const stage = firstStage({
      write(journal) {
        journal.begin('initial_implementation');
        journal.finish('patience', '5 nodes without a better one', null);
      },
      summary: summaryOf('stopped'),
    });
    expect(stage).toMatchObject({ state: 'finished', reason: 'patience', ending: '5 nodes without a better one' });
  });

  it('is the workflow’s word where the journal has none', () => {
    const stage = firstStage({
      write: (journal) => journal.begin('initial_implementation'),
      summary: summaryOf('budget', '30 of 30 nodes'),
    });
    expect(stage).toMatchObject({ state: 'finished', reason: 'budget', ending: '30 of 30 nodes' });
  });

  it('is said in words for a stage that was skipped', () => {
    expect(firstStage({ summary: summaryOf('skipped') })).toMatchObject({
      state: 'not_started',
      reason: 'skipped',
      ending: 'it was skipped',
    });
  });

  it.each([
    ['stopped', 'it did not end: the run was stopped'],
    ['cancelled', 'it did not end: the run was cancelled'],
    ['completed', 'it did not end: it has no end in the journal'],
  ] as const)('is the run’s outcome (%s) for a stage that was cut off', (outcome, ending) => {
    const stage = firstStage({ write: (journal) => journal.begin('initial_implementation'), outcome });
    expect(stage).toMatchObject({ state: 'unfinished', reason: null, ending });
  });

  it('is that it was not reached for a stage without a trace', () => {
    expect(firstStage({ outcome: 'no_good_node' })).toMatchObject({
      state: 'not_started',
      ending: 'it was not reached: there was no good node to go on from',
    });
  });
});

describe('the best node of a stage', () => {
  const write = (named: number | null) => (journal: JournalSketch) => {
    journal.begin('initial_implementation');
    journal.node({ id: 1, scores: [0.8] });
    journal.node({ id: 2, scores: [0.9] });
    journal.node({ id: 3 });
    if (named !== null) journal.finish('node_limit', '', named);
  };

  it('is the one that the stage named', () => {
    expect(firstStage({ write: write(1) }).best).toMatchObject({ node: 'n1', metric: 0.8 });
  });

  it('is the first of the best by the metric’s direction where none was named or the named one is not good', () => {
    expect(firstStage({ write: write(null) }).best?.node).toBe('n2');
    expect(firstStage({ write: write(3) }).best?.node).toBe('n2');
    expect(firstStage({ write: write(99) }).best?.node).toBe('n2');
    expect(firstStage({ write: write(null), run: { direction: 'minimize' } }).best?.node).toBe('n1');
  });

  it('is none that a person pruned, even where the stage named it', () => {
    const pruning = (journal: JournalSketch) => {
      write(null)(journal);
      journal.steered('n2 pruned', 2);
      journal.finish('node_limit', '', 2);
    };
    expect(firstStage({ write: pruning }).best?.node).toBe('n1');
  });

  it('is nothing where every node failed', () => {
    const stage = firstStage({
      write(journal) {
        journal.begin('initial_implementation');
        journal.node({ id: 1 });
      },
    });
    expect(stage.best).toBeNull();
  });

  it('is held against its parent and against the carried node', () => {
    const { run, events } = exampleReportInput();
    const records = readJournal(run, events, new Map());
    const stages = records.stages.map((stage) => stageReport(records, stage, { outcome: 'completed', summary: undefined }));
    expect(stages.map(({ best }) => [best?.node, best?.againstParent?.node, best?.againstCarried?.node])).toEqual([
      ['n1', undefined, undefined],
      ['n7', 'n5', 'n1'],
      ['n10', 'n7', 'n7'],
      ['n10', undefined, undefined],
    ]);
    expect(stages.map(({ best }) => [best?.againstParent?.verdict, best?.againstCarried?.verdict])).toEqual([
      [undefined, undefined],
      ['unknown', 'better'],
      ['noise', 'noise'],
      [undefined, undefined],
    ]);
    expect(stages[3]?.best?.carried).toBe(true);
    expect(stages.map(({ carried }) => carried)).toEqual([null, 'n1', 'n7', 'n10']);
  });
});
