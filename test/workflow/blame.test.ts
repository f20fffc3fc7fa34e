import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import { blameText } from '../../src/report/blame.ts';
import { stageDefinition } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { failed, runToEnd, valueOf } from '../support/workflow-lab.ts';

/** A node that the last stage cannot work with, and which stage before it made it so. */

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

/** One draft, one tuning, and a stage with another dataset that may try two repairs. */
const plan: Partial<RunPlan> = {
  stages: [
    stageDefinition('initial_implementation', { maxNodes: 1, rules: [] }),
    stageDefinition('baseline_tuning', { maxNodes: 1 }),
    stageDefinition('creative_research', { maxNodes: 2, datasets: ['a', 'b'] }),
    stageDefinition('ablation_studies', { maxNodes: 0 }),
  ],
  search: { policy: 'best_first', numDrafts: 1, debugProb: 1, maxDebugDepth: 2, ablationPairs: false },
  replication: { numSeeds: 0, scope: 'best' },
};

const VALUES: Readonly<Record<string, number>> = { n1: 0.5, n2: 0.7 };

/** n2 is better than n1; what `isBroken` says fails on dataset b. */
function evaluating(isBroken: (node: string) => boolean) {
  return (input: EvaluateInput) => {
    if (input.dataset === 'b' && isBroken(input.node)) return failed(input, 'timeout');
    return VALUES[input.node] ?? valueOf(input);
  };
}

async function blamedIn(runId: string, isBroken: (node: string) => boolean) {
  const { lab, result } = await runToEnd(server, runId, { plan, activities: { evaluate: evaluating(isBroken) } });
  return { events: lab.events, blamed: lab.events.find((event) => event.kind === 'blamed'), result };
}

test('the stage that broke it is named, and what it made is held against what it started from', async () => {
  const { blamed, events, result } = await blamedIn('blame-tuning', (node) => node !== 'n1');
  expect(result.outcome).toBe('no_good_node');
  expect(blamed).toMatchObject({
    stage: 'creative_research',
    blamed: 'baseline_tuning',
    old: { node: 'n1', metric: 0.5 },
    made: { node: 'n2', metric: null },
  });
  expect(blamed?.old?.evaluations.map(({ dataset }) => dataset)).toEqual(['a', 'b']);
  expect(events.map(({ kind }) => kind).slice(-2)).toEqual(['blamed', 'stage_finished']);
  expect(blamed && blameText(blamed)).toBe(
    'Baseline tuning is to blame: n2, which it handed on, fails on b (timeout) on the datasets of this stage, and n1, which it started from, gives 0.5000',
  );
});

test('the first stage is to blame where nothing that was handed on ever worked', async () => {
  const { blamed } = await blamedIn('blame-first', () => true);
  expect(blamed).toMatchObject({ blamed: 'initial_implementation', old: null, made: { node: 'n1', metric: null } });
  expect(blamed && blameText(blamed)).toContain('and there is no node before it');
});

test('nobody is to blame where a repair worked', async () => {
  const { blamed, result } = await blamedIn('blame-nobody', (node) => node === 'n2');
  expect(result.outcome).toBe('completed');
  expect(blamed).toBeUndefined();
});
