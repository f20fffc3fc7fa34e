import { describe, expect, test } from 'vitest';
import {
  JournalQuery,
  MESSAGES,
  noOutcomes,
  Outcomes,
  ResearchResult,
  RunOutcome,
  SEARCH_ATTRIBUTES,
  StageStatus,
  WORKFLOW_TYPES,
} from '../../../src/domain/messages.ts';
import {
  AddItemPayload,
  CancelNodePayload,
  PausePayload,
  PinNodePayload,
  PruneNodePayload,
  RetryStagePayload,
  SetBudgetPayload,
  SetWorkersPayload,
  SkipStagePayload,
  StopPayload,
  StrategyChoice,
  UnpausePayload,
} from '../../../src/domain/steering.ts';
import { sketchedNode } from '../../support/tree.ts';

describe('names on the wire', () => {
  test('of workflow types are these', () => {
    expect(WORKFLOW_TYPES).toEqual({
      research: 'research',
      initial_implementation: 'initialImplementation',
      baseline_tuning: 'baselineTuning',
      creative_research: 'creativeResearch',
      ablation_studies: 'ablationStudies',
    });
  });

  test('of messages are their own names in the code', () => {
    expect(Object.keys(MESSAGES)).toEqual(Object.values(MESSAGES));
    expect(Object.values(MESSAGES)).toEqual(
      expect.arrayContaining([
        'pause',
        'unpause',
        'stop',
        'skipStage',
        'setWorkers',
        'cancelNode',
        'status',
        'journal',
        'best',
        'outcomes',
        'plan',
      ]),
    );
  });

  test('of search attributes and their types are these', () => {
    expect(SEARCH_ATTRIBUTES).toEqual({
      ResearchTask: 'Keyword',
      ResearchStage: 'Keyword',
      ResearchStatus: 'Keyword',
      ResearchBest: 'Double',
      ResearchCostUsd: 'Double',
      ResearchNodes: 'Int',
      ResearchBuggy: 'Int',
    });
  });

  test('of a run’s outcome are these', () => {
    expect(RunOutcome.options).toEqual(['completed', 'no_good_node', 'stopped', 'cancelled']);
  });
});

describe('payloads', () => {
  test('may be left out where there is a sensible default', () => {
    expect(StopPayload.parse({})).toEqual({ mode: 'drain' });
    expect(JournalQuery.parse({})).toEqual({ offset: 0, limit: 50 });
    expect(PausePayload.parse({})).toEqual({ mode: 'finish' });
    expect(UnpausePayload.parse({})).toEqual({});
    expect(AddItemPayload.parse({ operator: 'draft' })).toEqual({ operator: 'draft', parent: null, target: null });
    expect(StrategyChoice.parse({ name: 'in_order' })).toEqual({ name: 'in_order', options: {} });
  });

  test.each([
    ['stop with a mode that there is not', StopPayload, { mode: 'soon' }],
    ['stop with an unknown key', StopPayload, { mod: 'now' }],
    ['pause with a reason that is no text', PausePayload, { reason: 1 }],
    ['pause with a reason without end', PausePayload, { reason: 'x'.repeat(301) }],
    ['skipStage without a stage', SkipStagePayload, {}],
    ['skipStage with a stage that there is not', SkipStagePayload, { stage: 'stage2' }],
    ['setWorkers to none', SetWorkersPayload, { workers: 0 }],
    ['setWorkers to a text', SetWorkersPayload, { workers: '2' }],
    ['setWorkers to half a worker', SetWorkersPayload, { workers: 1.5 }],
    ['setWorkers to more than there can be', SetWorkersPayload, { workers: 1001 }],
    ['cancelNode of what is no node', CancelNodePayload, { node: '7' }],
    ['pause in a mode that there is not', PausePayload, { mode: 'soon' }],
    ['unpause in a mode', UnpausePayload, { mode: 'finish' }],
    ['retryStage without a stage', RetryStagePayload, {}],
    ['setBudget without a number', SetBudgetPayload, {}],
    ['setBudget to less than nothing', SetBudgetPayload, { nodes: -1 }],
    ['setBudget that lifts the limit of a stage', SetBudgetPayload, { nodes: null, stage: 'baseline_tuning' }],
    ['pinNode without a node', PinNodePayload, {}],
    ['pruneNode of nothing', PruneNodePayload, { node: null }],
    ['addItem by an operator that there is not', AddItemPayload, { operator: 'guess' }],
    ['addItem with an empty target', AddItemPayload, { operator: 'tune', parent: 'n1', target: '' }],
    ['setStrategy without a name', StrategyChoice, { options: {} }],
    ['a journal page of 101 nodes', JournalQuery, { limit: 101 }],
    ['a journal page before the first', JournalQuery, { offset: -1 }],
  ])('are refused: %s', (_, schema, payload) => {
    expect(schema.safeParse(payload).success).toBe(false);
  });
});

describe('answers', () => {
  test('count from nothing, each time anew', () => {
    expect(Outcomes.parse(noOutcomes())).toEqual(noOutcomes());
    expect(noOutcomes()).not.toBe(noOutcomes());
    expect(Outcomes.safeParse({ ...noOutcomes(), good: -1 }).success).toBe(false);
    expect(Outcomes.safeParse({ ...noOutcomes(), dropped: { duplicate: 2 } }).success).toBe(true);
    expect(Outcomes.safeParse({ ...noOutcomes(), dropped: { unlucky: 2 } }).success).toBe(false);
  });

  test('name a best node only when it is good', () => {
    const status = {
      runId: 'r',
      stage: 'baseline_tuning',
      state: 'running',
      waitingFor: null,
      nodes: 1,
      maxNodes: 2,
      best: sketchedNode({ id: 1, metric: 1 }),
      base: null,
      running: [],
      outcomes: noOutcomes(),
    };
    expect(StageStatus.safeParse(status).success).toBe(true);
    expect(StageStatus.safeParse({ ...status, best: sketchedNode({ id: 1 }) }).success).toBe(false);
    const result = { runId: 'r', outcome: 'completed', best: null, stages: [], report: 'runs/r/report.md' };
    expect(ResearchResult.safeParse(result).success).toBe(true);
    expect(ResearchResult.safeParse({ ...result, outcome: 'failed' }).success).toBe(false);
  });
});
