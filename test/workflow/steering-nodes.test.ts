import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { GoodNode } from '../../src/domain/node.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import { gate, until } from '../support/gate.ts';
import { stageDefinition } from '../support/plan.ts';
import { held, refusalOf, stageOf, stageStatusOf, steeringOf, untilHeld, update } from '../support/steering.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, withRun } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

/** One stage that counts, without replicas, so that a run is short. */
function oneStage(maxNodes: number, change: Partial<RunPlan> = {}): Partial<RunPlan> {
  const rest = ['baseline_tuning', 'creative_research', 'ablation_studies'] as const;
  return {
    stages: [
      stageDefinition('initial_implementation', { maxNodes, rules: [] }),
      ...rest.map((name) => stageDefinition(name, { maxNodes: 0 })),
    ],
    replication: { numSeeds: 0, scope: 'best' },
    ...change,
  };
}

/** n1 is the best node, n2 the next one, and no other comes near. */
const VALUES: Readonly<Record<string, number>> = { n1: 0.9, n2: 0.5 };
const value = ({ node }: EvaluateInput): number => VALUES[node] ?? 0.1;
const isSecondRound = ({ node }: EvaluateInput): boolean => node === 'n3' || node === 'n4';

describe('pruneNode', () => {
  test('ends what is made of the subtree, keeps it out of the search, and leaves another node the best', async () => {
    const hold = gate();
    const options = { runId: 'pruning', plan: oneStage(10), activities: held(hold, isSecondRound, value) };
    await withRun(server, options, async ({ lab, handle }) => {
      const stage = stageOf(server, 'pruning');
      await untilHeld({ lab }, 4);
      expect(await refusalOf(stage, 'pruneNode', { node: 'n99' })).toContain('no node n99');
      await update(stage, 'pruneNode', { node: 'n1', reason: 'too good to be true' });
      expect(await refusalOf(stage, 'pruneNode', { node: 'n1' })).toBe('n1 is pruned already');
      expect(await refusalOf(stage, 'pinNode', { node: 'n1' })).toContain('buggy (pruned)');
      expect(await refusalOf(stage, 'addItem', { operator: 'improve', parent: 'n1' })).toBe('n1 was pruned');
      expect(await stage.query<GoodNode>('best')).toMatchObject({ id: 'n2' });
      await until(async () => (await handle.query<GoodNode>('best')).id === 'n2');
      hold.open();
      const result = await handle.result();
      const nodes = nodesOf(lab);
      expect(nodes.find(({ id }) => id === 'n4')).toMatchObject({ parent: 'n1', status: 'buggy', reason: 'pruned' });
      const later = nodes.filter(({ id }) => !['n1', 'n2', 'n3', 'n4'].includes(id));
      expect(later).toHaveLength(6);
      expect(later.filter(({ parent }) => parent === 'n1' || parent === 'n4')).toEqual([]);
      expect(result.best?.id).toBe('n2');
      expect(lab.events.find(({ kind }) => kind === 'steered')).toMatchObject({
        message: 'n1 pruned: too good to be true',
        pruned: 'n1',
      });
    });
  });
});

describe('pinNode', () => {
  test('builds on the pinned node until it is unpinned, also after continue-as-new', async () => {
    const hold = gate();
    const plan = oneStage(12, { maxHistoryEvents: 90 });
    await withRun(server, { runId: 'pinning', plan, activities: held(hold, isSecondRound, value) }, async ({ lab, handle }) => {
      const stage = stageOf(server, 'pinning');
      await untilHeld({ lab }, 4);
      const first = (await stage.describe()).runId;
      expect(await refusalOf(stage, 'pinNode', { node: 'n3' })).toBe('n3 is still being made');
      await update(stage, 'pinNode', { node: 'n2' });
      expect((await stageStatusOf(stage)).pinned).toBe('n2');
      hold.open();
      const result = await handle.result();
      expect((await stage.describe()).runId).not.toBe(first);
      const later = nodesOf(lab).filter(({ id, operator }) => operator === 'improve' && id !== 'n4');
      expect(later).toHaveLength(8);
      expect(new Set(later.map(({ parent }) => parent))).toEqual(new Set(['n2']));
      expect(result.best?.id).toBe('n1');
      expect(steeringOf(lab)).toEqual(['n2 pinned']);
    });
  });
});

describe('addItem', () => {
  test('puts work first in line, once; the stage does it before a rule ends it', async () => {
    const hold = gate();
    const plan = oneStage(9);
    const stages = plan.stages?.map((stage, index) =>
      index === 0 ? { ...stage, rules: [{ rule: 'good_nodes' as const, min: 1 }] } : stage,
    );
    const activities = held(hold, isSecondRound, value);
    await withRun(
      server,
      { runId: 'adding', plan: { ...plan, ...(stages && { stages }) }, activities },
      async ({ lab, handle }) => {
        const stage = stageOf(server, 'adding');
        await untilHeld({ lab }, 4);
        for (const operator of ['improve', 'debug']) await refusalOf(stage, 'addItem', { operator, parent: 'n99' });
        expect(await refusalOf(stage, 'addItem', { operator: 'debug', parent: 'n2' })).toContain('starts from a buggy node');
        await update(stage, 'addItem', { operator: 'improve', parent: 'n2' });
        expect(await refusalOf(stage, 'addItem', { operator: 'improve', parent: 'n2' })).toContain('was added already');
        expect(await refusalOf(stage, 'addItem', { operator: 'improve', parent: 'n1' })).toContain('is being done already');
        await update(stage, 'addItem', { operator: 'tune', parent: 'n1', target: 'y' });
        hold.open();
        await handle.result();
        const items = nodesOf(lab).map(({ item }) => item);
        expect(items.slice(4)).toEqual(['improve:n2#0', 'tune:n1:y#0']);
        expect(steeringOf(lab)).toEqual(['added: improve of n2', 'added: tune of n1, y']);
      },
    );
  });
});

describe('setStrategy', () => {
  test('takes another strategy from the next plan on; one that there is not is refused with those that there are', async () => {
    const hold = gate();
    const plan = oneStage(12, { maxHistoryEvents: 90 });
    await withRun(server, { runId: 'strategic', plan, activities: held(hold, isSecondRound, value) }, async ({ lab, handle }) => {
      const stage = stageOf(server, 'strategic');
      await untilHeld({ lab }, 4);
      expect(await refusalOf(stage, 'setStrategy', { name: 'by_chance' })).toMatch(/by_chance.*in_order/);
      expect(await refusalOf(stage, 'setStrategy', { name: 'in_order', options: { size: 3 } })).toContain('do not fit');
      await update(stage, 'setStrategy', { name: 'in_order', options: {} });
      hold.open();
      expect((await handle.result()).outcome).toBe('completed');
      expect(nodesOf(lab).length).toBe(12);
      expect(steeringOf(lab)).toEqual(['strategy set to in_order {}']);
    });
  });
});
