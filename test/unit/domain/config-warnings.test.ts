import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/domain/config-reading.ts';

/** The warnings of a config as it is written. */
function warnings(raw: Record<string, unknown>): readonly string[] {
  const reading = readConfig({ task: 'digits', ...raw });
  if (reading.status === 'refused') throw new Error(JSON.stringify(reading.problems));
  return reading.warnings;
}

const off = { stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0 };

describe('configWarnings', () => {
  it.each<[Record<string, unknown>, string]>([
    [
      { agent: { type: 'sequential', num_workers: 4 } },
      'agent.num_workers has no effect: agent.type: sequential means one worker.',
    ],
    [
      {
        agent: {
          steps: 3,
          stages: { stage1_max_iters: 1, stage2_max_iters: 1, stage3_max_iters: 1, stage4_max_iters: 1 },
          search: { num_drafts: 1 },
        },
      },
      'agent.steps has no effect',
    ],
    [{ agent: { search: { max_debug_depth: 0, debug_prob: 0.5 } } }, 'agent.search.debug_prob has no effect'],
    [{ agent: { search: { max_debug_depth: 2, debug_prob: 0 } } }, 'agent.search.max_debug_depth has no effect'],
    [{ agent: { multi_seed_eval: { num_seeds: 0, scope: 'node' } } }, 'agent.multi_seed_eval.scope has no effect'],
    [
      { agent: { stages: { stage4_max_iters: 0 } }, search: { ablation_pairs: true } },
      'search.ablation_pairs has no effect: stage 4 is off',
    ],
    [{ search: { patience: 12 } }, 'search.patience has no effect: stages 2 and 3 end after 12 nodes at most.'],
    [{ agent: { stages: off }, search: { patience: 1 } }, 'search.patience has no effect'],
    [{ search: { good_nodes: 21 } }, 'search.good_nodes has no effect: stage 1 ends after 20 nodes at most.'],
    [{ proposer: { script: 'a.yaml' } }, 'proposer.script has no effect: proposer.kind is search_space.'],
    [{ proposer: { kind: 'scripted', script: 'a.yaml', window: 5 } }, 'proposer.window has no effect'],
    [{ schedule: 'async', agent: { num_workers: 1 } }, 'schedule has no effect'],
    [{ schedule: 'async', agent: { type: 'sequential' } }, 'schedule has no effect'],
    [{ search: { exploration: 2 } }, 'search.exploration has no effect: search.selection is best.'],
    [{ search: { selection: 'puct', beam_width: 5 } }, 'search.beam_width has no effect: search.selection is puct.'],
    [{ async: { staleness: 'guarded' } }, 'async.staleness has no effect: schedule is barrier'],
    [{ async: { tolerance: 3 } }, 'async.tolerance has no effect: schedule is barrier'],
    [{ schedule: 'async', async: { tolerance: 3 } }, 'async.tolerance has no effect: async.staleness is full.'],
    [{ budget: { nodes: 62 } }, 'budget.nodes has no effect: the limits of the stages add up to 62 nodes.'],
    [{ agent: { stages: { stage1_max_iters: 2 } } }, 'Only 2 of the 3 drafts'],
    [{ exec: { timeout: '1s' } }, 'exec.grace is longer than exec.timeout'],
  ])('%j: %s', (raw, words) => {
    expect(warnings(raw)).toEqual([expect.stringContaining(words)]);
  });

  it.each<Record<string, unknown>>([
    {},
    { agent: { type: 'sequential' } },
    { agent: { type: 'sequential', num_workers: 1 } },
    { agent: { steps: 3 } },
    { agent: { search: { debug_prob: 0 } } },
    { agent: { multi_seed_eval: { num_seeds: 0 } } },
    { search: { ablation_pairs: true, patience: 11, good_nodes: 20 } },
    { search: { ablation_pairs: false }, agent: { stages: { stage4_max_iters: 0 } } },
    { schedule: 'async' },
    { schedule: 'async', async: { staleness: 'guarded', tolerance: 3 } },
    { async: { staleness: 'full', tolerance: 1 }, search: { selection: 'uct', exploration: 2, beam_width: 3 } },
    { budget: { nodes: 61 } },
  ])('has nothing to say about %j', (raw) => {
    expect(warnings(raw)).toEqual([]);
  });
});
