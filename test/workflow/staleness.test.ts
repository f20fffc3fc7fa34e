import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProposeInput, ProposeResult } from '../../src/domain/proposal.ts';
import type { AsyncOptions, RunPlan } from '../../src/domain/run-plan.ts';
import { eventually, gate } from '../support/gate.ts';
import { stageDefinition } from '../support/plan.ts';
import { stageOf, stageStatusOf } from '../support/steering.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, proposed, refOf, withRun } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

/** A draft and four improvements of the best node, by two workers that wait for nobody. */
function plan(staleness: AsyncOptions): Partial<RunPlan> {
  const rest = ['baseline_tuning', 'creative_research', 'ablation_studies'] as const;
  return {
    stages: [
      stageDefinition('initial_implementation', { maxNodes: 5, rules: [] }),
      ...rest.map((name) => stageDefinition(name, { maxNodes: 0 })),
    ],
    search: { policy: 'best_first', numDrafts: 1, debugProb: 0, maxDebugDepth: 0, ablationPairs: false },
    replication: { numSeeds: 0, scope: 'best' },
    schedule: 'async',
    async: staleness,
  };
}

/** The proposal of n3 takes until n2 is there, which is better than the node that both start from. */
async function late(runId: string, staleness: AsyncOptions) {
  const hold = gate();
  const asked: ProposeInput[] = [];
  const propose = async (input: ProposeInput): Promise<ProposeResult> => {
    asked.push(input);
    if (input.rebase !== undefined)
      return { status: 'proposed', experiment: refOf('rebased'), label: 'rebased', changed: ['y'], plan: 'again' };
    if (input.node === 'n3') await hold.passed;
    return proposed(input);
  };
  const evaluate = ({ node }: { node: string }): number => ({ n1: 0.5, n2: 0.7 })[node] ?? 0.1;
  return withRun(server, { runId, plan: plan(staleness), activities: { propose, evaluate } }, async ({ lab, handle }) => {
    await eventually('a better node', async () => (await stageStatusOf(stageOf(server, runId))).outcomes.committed === 2);
    hold.open();
    const { stages } = await handle.result();
    const third = nodesOf(lab).find(({ id }) => id === 'n3');
    const evaluated = lab.evaluated.filter(({ node }) => node === 'n3').map(({ experiment }) => experiment);
    return { third, evaluated, outcomes: stages[0]?.outcomes, asked: asked.filter(({ node }) => node === 'n3') };
  });
}

describe('an edit that was made while a better node came', () => {
  test('is evaluated as it is by default', async () => {
    const { third, asked, outcomes } = await late('stale-full', { staleness: 'full', tolerance: 1 });
    expect(third).toMatchObject({ parent: 'n1', status: 'good' });
    expect(asked).toHaveLength(1);
    expect(outcomes).toMatchObject({ good: 5, committed: 2, dropped: {} });
  });

  test.each(['guarded', 'reflective'] as const)('is put on that node (%s), and is its child', async (staleness) => {
    const { third, asked, evaluated, outcomes } = await late(`stale-${staleness}`, { staleness, tolerance: 1 });
    expect(third).toMatchObject({ parent: 'n2', operator: 'improve', label: 'rebased', changed: ['y'] });
    expect(evaluated).toEqual([refOf('rebased')]);
    expect(asked.map(({ rebase }) => rebase?.onto.node)).toEqual([undefined, 'n2']);
    expect(asked[1]?.rebase).toMatchObject({ made: refOf(asked[0]?.item.id ?? ''), plan: expect.any(String) as string });
    expect(outcomes).toMatchObject({ good: 5, dropped: {} });
  });

  test('is dropped before it is evaluated where it comes too late, counted, and its node is made anew', async () => {
    const { third, asked, evaluated, outcomes } = await late('stale-dropped', { staleness: 'guarded', tolerance: 0 });
    expect(third).toBeUndefined();
    expect(evaluated).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(outcomes).toMatchObject({ good: 5, dispatched: 5, dropped: { stale: 1 } });
  });
});
