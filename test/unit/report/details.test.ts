import { describe, expect, test } from 'vitest';
import { RunId, nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem } from '../../../src/domain/item.ts';
import { noOutcomes, RunStatus, StageStatus } from '../../../src/domain/messages.ts';
import { runDetails, stageDetails } from '../../../src/report/details.ts';
import { testPlan } from '../../support/plan.ts';
import { sketchedNode } from '../../support/tree.ts';

const { metric } = testPlan();
const status = (change: object = {}): StageStatus =>
  StageStatus.parse({
    runId: RunId.parse('r'),
    stage: 'baseline_tuning',
    state: 'running',
    waitingFor: null,
    nodes: 4,
    maxNodes: 12,
    best: sketchedNode({ id: 3, parent: 1, operator: 'tune', label: 'model.depth', metric: 0.987654321 }),
    base: sketchedNode({ id: 1, operator: 'draft', label: 'forest', reason: 'timeout' }),
    running: [
      { worker: 0, item: nodeItem('tune', nodeId(3), 'x', 0), node: 'n5', doing: 'digits on cpu0' },
      { worker: 1, item: plotItem(nodeId(3)), node: 'n3', doing: 'waiting for a device' },
    ],
    outcomes: { ...noOutcomes(), good: 3, buggy: 1, replicas: 2, plots: 1 },
    ...change,
  });

describe('the details of a stage in the Web UI', () => {
  test('say how far it is, what is best and what is going on', () => {
    expect(stageDetails(status(), metric)).toBe(
      [
        '**baseline_tuning**: running, 4 of at most 12 nodes (3 good, 1 buggy), 2 replicas, 1 plots',
        '',
        'Best: n3 (tune, model.depth): score 0.98765',
        '',
        'Base: n1 (draft, forest): timeout',
        '',
        '| worker | node | work | doing |',
        '| --- | --- | --- | --- |',
        '| 0 | n5 | tune | digits on cpu0 |',
        '| 1 | n3 | plot | waiting for a device |',
      ].join('\n'),
    );
  });

  test('say why nothing is running', () => {
    expect(stageDetails(status({ running: [], waitingFor: 'paused by a person' }), metric)).toMatch(/\n\npaused by a person$/);
    expect(stageDetails(status({ running: [] }), metric)).toMatch(/\n\nnothing is running$/);
  });

  test('say that there is no node yet', () => {
    const text = stageDetails(status({ best: null, base: null }), metric);
    expect(text).toContain('Best: none yet');
    expect(text).toContain('Base: none yet');
  });

  test('stay below the 20,000 bytes of the Web UI, however many workers there are', () => {
    const one = { worker: 999, item: nodeItem('ablate', nodeId(9_999_999), 'x', 0), node: 'n9999999', doing: 'd'.repeat(200) };
    const many = status({ running: Array.from({ length: 1000 }, () => one), waitingFor: 'x'.repeat(300) });
    expect(Buffer.byteLength(stageDetails(many, metric))).toBeLessThan(20_000);
  });
});

test('the details of a run in the Web UI say what is best, how stages ended and what goes on', () => {
  const best = sketchedNode({ id: 3, operator: 'draft', label: 'forest', metric: 0.5 });
  const run = RunStatus.parse({
    runId: 'r',
    task: 'probe',
    state: 'paused',
    stage: 'baseline_tuning',
    finished: [{ stage: 'initial_implementation', reason: 'good_nodes', text: '1 good node', best, outcomes: noOutcomes() }],
    waitingFor: null,
  });
  expect(runDetails(run, best, metric)).toBe(
    [
      'Run of task probe. Best so far: n3 (draft, forest): score 0.50000',
      '',
      '- **initial_implementation**: 1 good node; best n3 (draft, forest): score 0.50000',
      '- **baseline_tuning**: paused',
    ].join('\n'),
  );
});
