import { describe, expect, it } from 'vitest';
import { ResolvedConfig, RunConfig } from '../../../src/domain/config.ts';

describe('RunConfig', () => {
  it('gives every key of AI-Scientist-v2 the default that it has there', () => {
    const { agent, exec } = RunConfig.parse({});
    expect(agent).toEqual({
      type: 'parallel',
      num_workers: 4,
      steps: null,
      stages: { stage1_max_iters: 20, stage2_max_iters: 12, stage3_max_iters: 12, stage4_max_iters: 18 },
      search: { num_drafts: 3, debug_prob: 0.5, max_debug_depth: 3 },
      multi_seed_eval: { num_seeds: 3, scope: 'best' },
    });
    expect(exec.timeout).toBe(3_600_000);
  });

  it('limits the stages without a limit of their own by agent.steps', () => {
    const { agent } = RunConfig.parse({ agent: { steps: 5, stages: { stage2_max_iters: 7 } } });
    expect(agent.stages).toEqual({ stage1_max_iters: 5, stage2_max_iters: 7, stage3_max_iters: 5, stage4_max_iters: 5 });
  });

  it('refuses a run that could never make a node', () => {
    expect(RunConfig.safeParse({ agent: { stages: { stage1_max_iters: 0 } } }).success).toBe(false);
  });

  it.each([
    { exec: { memory: '4GB' } },
    { exec: { memory: '0MiB' } },
    { agent: { num_workers: 1.5 } },
    { agent: { search: { debug_prob: 1.01 } } },
    { seed: -1 },
    { task: 'Digits' },
    { task: '../x' },
    { devices: '' },
    { unknown: 1 },
  ])('refuses %j', (config) => {
    expect(RunConfig.safeParse(config).success).toBe(false);
  });
});

describe('ResolvedConfig', () => {
  it('reads back what was read before, durations included (C2)', () => {
    const config = RunConfig.parse({ exec: { timeout: '90s', grace: 0.5 }, proposer: { timeout: '2m' }, agent: { steps: 4 } });
    const again = ResolvedConfig.parse(JSON.parse(JSON.stringify(config)));
    expect(JSON.stringify(again)).toBe(JSON.stringify(config));
    expect(again.exec.timeout).toBe(90_000);
  });

  it('has the same defaults', () => {
    expect(ResolvedConfig.parse({})).toEqual(RunConfig.parse({}));
  });
});
