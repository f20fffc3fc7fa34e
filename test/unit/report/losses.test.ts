import { describe, expect, it } from 'vitest';
import { dropCounts, failureCounts, figureFolders, stageCounts, sumCounts, troubles } from '../../../src/report/losses.ts';
import { readJournal, type StageRecords } from '../../../src/report/read-journal.ts';
import { evaluationIdOf, exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

function stageOf(write: (journal: JournalSketch) => void): StageRecords {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin('creative_research', 1);
  write(journal);
  const stage = readJournal(run, journal.events, new Map()).stages[2];
  if (stage === undefined) throw new TypeError('no stage');
  return stage;
}

describe('failures', () => {
  it('are counted by reason, the most frequent first, with the first message as the example', () => {
    const stage = stageOf((journal) => {
      journal.node({ id: 2, reason: 'timeout', message: 'slow' });
      journal.node({ id: 3, reason: 'exception', message: 'first' });
      journal.node({ id: 4, reason: 'exception', message: 'second' });
      journal.node({ id: 5, scores: [1, 1, 1] });
    });
    expect(failureCounts(stage)).toEqual([
      { reason: 'exception', text: 'the program raised an exception', count: 2, nodes: ['n3', 'n4'], example: 'first' },
      { reason: 'timeout', text: 'the program ran longer than exec.timeout', count: 1, nodes: ['n2'], example: 'slow' },
    ]);
  });

  it('of the carried node, of replicas and of plots are told apart from those of nodes', () => {
    const stage = stageOf((journal) => {
      journal.base({ id: 1, reason: 'exception', message: 'no such column' });
      journal.replicas(1, [0.9, null]);
    });
    expect(failureCounts(stage)).toEqual([]);
    expect(troubles(stage)).toEqual([
      'carried node n1: exception: no such column',
      'replica 2 of n1: digits: exception: ValueError: bad shape',
    ]);
  });
});

it('dropped items are counted by reason, with an example that names the item', () => {
  const stage = stageOf((journal) => {
    journal.dropped('tune:n1:a#0', 'duplicate', 'the same as n1');
    journal.dropped('tune:n1:b#0', 'duplicate', 'the same as n2');
    journal.dropped('tune:n1:c#0', 'exhausted', 'nothing left');
  });
  expect(dropCounts(stage).map(({ reason, count, example }) => ({ reason, count, example }))).toEqual([
    { reason: 'duplicate', count: 2, example: 'tune:n1:a#0: the same as n1' },
    { reason: 'exhausted', count: 1, example: 'tune:n1:c#0: nothing left' },
  ]);
});

describe('counts', () => {
  const stage = stageOf((journal) => {
    journal.base({ id: 1, scores: [1, 1, 1], cached: true });
    journal.node({ id: 2, scores: [1, 1, 1] });
    journal.node({ id: 3 });
    journal.replicas(2, [1, null]);
    journal.plot(2, 2);
  });

  it('have every evaluation once: of the carried node, nodes, replicas and plots', () => {
    expect(stageCounts(stage)).toEqual({
      nodes: 2,
      good: 1,
      buggy: 1,
      replicas: 2,
      evaluations: 3 + 3 + 3 + 6 + 1,
      failedEvaluations: 3 + 3,
      cached: 3,
      durationMs: 13 * 1500,
    });
  });

  it('add up', () => {
    const one = stageCounts(stage);
    expect(sumCounts([one, one])).toMatchObject({ nodes: 4, evaluations: 32, durationMs: 39_000 });
    expect(sumCounts([])).toMatchObject({ nodes: 0, evaluations: 0 });
  });
});

it('figures are found where the evaluation left them, each folder once', () => {
  const stage = stageOf((journal) => {
    journal.node({ id: 2, scores: [1, 1, 1] });
    journal.plot(2, 3);
    journal.plot(2, 3);
    journal.plot(2, 0);
  });
  expect(figureFolders(stage)).toEqual([
    { node: 'n2', dataset: 'plot', seed: 7, count: 3, folder: `evaluations/${evaluationIdOf(2, 'plot', 7)}/attempts/1.1/out` },
  ]);
});
