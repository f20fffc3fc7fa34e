import { describe, expect, it } from 'vitest';
import { estimateEvaluations, planLines } from '../../../../src/cli/text/plan-text.ts';
import { exampleRun } from '../../../support/journal.ts';

const { plan } = exampleRun();

describe('planLines', () => {
  it('shows every stage with its limit, the devices and what is ignored', () => {
    const text = planLines({ plan, ignoredKeys: ['report.model'] }).join('\n');
    for (const stage of plan.stages) expect(text).toMatch(new RegExp(`${stage.name} .*at most ${stage.maxNodes} node`));
    for (const { name } of plan.devices) expect(text).toContain(name);
    expect(text).toContain('ignored keys of AI-Scientist-v2: report.model');
  });

  it('does not mention ignored keys when there are none', () => {
    expect(planLines({ plan, ignoredKeys: [] }).join('\n')).not.toContain('ignored');
  });
});

describe('estimateEvaluations', () => {
  const stage = (maxNodes: number, datasets: string[]) => ({
    name: 'ablation_studies' as const,
    operator: 'tune' as const,
    maxNodes,
    datasets,
    rules: [],
    plots: false,
  });
  const best = (numSeeds: number) => ({ numSeeds, scope: 'best' as const });

  it('counts every node on every dataset, and the replicas of the best of each stage', () => {
    expect(estimateEvaluations({ stages: [stage(5, ['a']), stage(4, ['a'])], replication: best(3) })).toBe(5 + 3 + 4 + 3);
  });

  it('counts the carried node again on the datasets that are new', () => {
    expect(estimateEvaluations({ stages: [stage(1, ['a']), stage(2, ['a', 'b', 'c'])], replication: best(0) })).toBe(
      1 + 2 * 3 + 2,
    );
  });

  it('counts the replicas of every node where all are replicated', () => {
    expect(estimateEvaluations({ stages: [stage(4, ['a'])], replication: { numSeeds: 2, scope: 'node' } })).toBe(4 + 4 * 2);
  });

  it('counts nothing for a stage that makes no nodes', () => {
    expect(estimateEvaluations({ stages: [stage(0, ['a'])], replication: best(3) })).toBe(0);
  });
});
