import { describe, expect, test } from 'vitest';
import { STAGE_NAMES } from '../../../src/domain/ids.ts';
import { CompletionReason, CompletionRule, STAGE_GOALS, StageDefinition } from '../../../src/domain/stage.ts';
import { stageDefinition } from '../../support/plan.ts';

describe('stages', () => {
  test('are these four, in this order, each with a goal in words', () => {
    expect(STAGE_NAMES).toEqual(['initial_implementation', 'baseline_tuning', 'creative_research', 'ablation_studies']);
    expect(Object.keys(STAGE_GOALS)).toEqual([...STAGE_NAMES]);
  });

  test('end for one of these reasons: journals of older runs hold them', () => {
    expect(CompletionReason.options).toEqual([
      'good_nodes',
      'patience',
      'node_limit',
      'exhausted',
      'no_way_on',
      'stopped',
      'skipped',
      'budget',
      'target',
    ]);
  });

  test('have rules that are data and want at least one node', () => {
    expect(CompletionRule.safeParse({ rule: 'good_nodes', min: 1 }).success).toBe(true);
    expect(CompletionRule.safeParse({ rule: 'good_nodes', min: 0 }).success).toBe(false);
    expect(CompletionRule.safeParse({ rule: 'patience', nodes: 1.5 }).success).toBe(false);
    expect(CompletionRule.safeParse({ rule: 'until_bored' }).success).toBe(false);
  });

  test('may make no node at all, and are evaluated on at least one dataset', () => {
    const definition = stageDefinition('creative_research');
    expect(StageDefinition.safeParse({ ...definition, maxNodes: 0 }).success).toBe(true);
    expect(StageDefinition.safeParse({ ...definition, maxNodes: -1 }).success).toBe(false);
    expect(StageDefinition.safeParse({ ...definition, datasets: [] }).success).toBe(false);
  });
});
