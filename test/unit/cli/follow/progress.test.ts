import { describe, expect, it } from 'vitest';
import { currentStage, parentOf } from '../../../../src/cli/follow/progress.ts';
import { EvaluationRecord } from '../../../../src/domain/evaluation.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { ACCURACY, buggy, good, landed, progressOf, replica, STAGE, started } from '../../../support/cli-fixtures.ts';

describe('progress', () => {
  it('counts good and buggy nodes of the stage that made them', () => {
    const progress = progressOf([started(0), landed(1, good(1, 0.9)), landed(2, buggy(2)), landed(3, good(3, 0.8))]);
    expect(currentStage(progress)).toMatchObject({ stage: STAGE, good: 2, buggy: 1, best: { id: 'n1' }, finished: null });
  });

  it('counts the evaluations of a stage that were answered with an earlier result', () => {
    const record = EvaluationRecord.parse({
      dataset: 'digits',
      seed: 0,
      result: {
        status: 'finished',
        value: 0.9,
        evaluation: '0'.repeat(32),
        attempt: '1.1',
        device: 'cpu0',
        durationMs: 1,
        peakMemoryMiB: null,
        figures: 0,
        cached: true,
      },
    });
    const run = { ...record, result: { ...record.result, cached: false } };
    const base = { kind: 'base' as const, seq: 1, stage: STAGE, node: good(1, 0.9), evaluations: [record, run, record] };
    expect(currentStage(progressOf([started(0), base, landed(2, good(2, 0.8))]))).toMatchObject({ cached: 2 });
  });

  it('does not count a carried node, but lets it be the best', () => {
    const progress = progressOf([started(0), { kind: 'base', seq: 1, stage: STAGE, node: good(1, 0.9), evaluations: [] }]);
    expect(currentStage(progress)).toMatchObject({ good: 0, best: { id: 'n1' } });
  });

  it('keeps the earlier of equals as the best, in both directions', () => {
    const events = [started(0), landed(1, good(1, 0.9)), landed(2, good(2, 0.9)), landed(3, good(3, 0.5))];
    expect(currentStage(progressOf(events))?.best?.id).toBe('n1');
    expect(currentStage(progressOf(events, { ...ACCURACY, direction: 'minimize' }))?.best?.id).toBe('n3');
  });

  it('takes the best of what is left when a person prunes a subtree, the carried node at the least', () => {
    const pruned = (seq: number, node: number) => ({
      kind: 'steered' as const,
      seq,
      stage: STAGE,
      message: `n${node} pruned`,
      pruned: nodeId(node),
    });
    const events = [
      started(0, nodeId(1)),
      { kind: 'base' as const, seq: 1, stage: STAGE, node: good(1, 0.5), evaluations: [] },
      landed(2, good(2, 0.8, { parent: nodeId(1) })),
      landed(3, good(3, 0.9, { parent: nodeId(2) })),
      landed(4, good(4, 0.7, { parent: nodeId(1) })),
    ];
    expect(currentStage(progressOf(events))?.best?.id).toBe('n3');
    expect(currentStage(progressOf([...events, pruned(5, 3)]))?.best?.id).toBe('n2');
    const without = progressOf([...events, pruned(5, 2)]);
    expect(currentStage(without)).toMatchObject({ good: 3, best: { id: 'n4' } });
    expect(currentStage(progressOf([...events, pruned(5, 2), pruned(6, 4)]))?.best?.id).toBe('n1');
    const late = [...events, pruned(5, 2), landed(6, good(5, 0.99, { parent: nodeId(3) })), landed(7, good(6, 0.6))];
    expect(currentStage(progressOf(late))?.best?.id).toBe('n4');
  });

  it('starts each stage anew and keeps the ones before', () => {
    const next = 'baseline_tuning' as const;
    const progress = progressOf([
      started(0),
      landed(1, good(1, 0.9)),
      { kind: 'stage_finished', seq: 2, stage: STAGE, reason: 'good_nodes', text: 'enough', best: nodeId(1) },
      started(3, nodeId(1), next),
      landed(4, good(2, 0.95, { stage: next })),
    ]);
    expect(progress.stages.map(({ stage, good: count, finished }) => [stage, count, finished?.reason])).toEqual([
      [STAGE, 1, 'good_nodes'],
      [next, 1, undefined],
    ]);
  });

  it('collects the metrics of replicas and leaves failed ones out', () => {
    const progress = progressOf([
      started(0),
      landed(1, good(1, 0.9)),
      replica(2, nodeId(1), 0.8),
      replica(3, nodeId(1), null),
      replica(4, nodeId(1), 0.7),
    ]);
    expect(progress.replicas.get(nodeId(1))?.values).toEqual([0.8, 0.7]);
  });

  it('takes the replicas of the last stage that replicated a node, whose datasets they are comparable on', () => {
    const later = { ...replica(4, nodeId(1), 0.5), stage: 'creative_research' as const };
    const progress = progressOf([started(0), replica(1, nodeId(1), 0.8), started(3, nodeId(1), 'creative_research'), later]);
    expect(progress.replicas.get(nodeId(1))).toEqual({ stage: 'creative_research', values: [0.5] });
  });

  it('knows the parents of nodes of earlier stages', () => {
    const child = good(2, 0.9, { parent: nodeId(1), stage: 'baseline_tuning' });
    const progress = progressOf([
      started(0),
      landed(1, good(1, 0.8)),
      started(2, nodeId(1), 'baseline_tuning'),
      landed(3, child),
    ]);
    expect(parentOf(progress, child)?.id).toBe('n1');
    expect(parentOf(progress, good(9, 1))).toBeNull();
  });
});
