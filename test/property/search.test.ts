import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/domain/ids.ts';
import { bestNode, findNode } from '../../src/domain/journal.ts';
import { nodeItems } from '../../src/search/work.ts';
import { timesOf } from '../../src/search/tally.ts';
import { worlds } from '../support/arbitrary.ts';
import { simulateStage, type Simulated, type World } from '../support/simulation.ts';

/** Checks many simulated stages; fast-check prints the seed and the smallest stage that fails. */
const simulated = (world: fc.Arbitrary<World>, numRuns: number, check: (run: Simulated, of: World) => void): void => {
  const property = fc.property(world, (drawn) => {
    check(simulateStage(drawn), drawn);
  });
  fc.assert(property, { numRuns });
};

const NO_LOSS = { good: 2, buggy: 3, dropped: 0, exhausted: 0 };

describe('a stage, whatever becomes of its items', () => {
  test('ends, keeps every rule on its way, and gives nothing out twice', () => {
    simulated(worlds(), 200, ({ problems, steps, given }, { stage }) => {
      expect(problems).toEqual([]);
      expect(new Set(given.map(({ id }) => id)).size).toBe(given.length);
      expect(steps).toBeLessThan(200 + 40 * stage.maxNodes);
    });
  });

  test('ends for a reason that its journal bears out', () => {
    simulated(worlds(), 100, ({ end, state }, { stage }) => {
      const good = state.journal.nodes.filter(({ status }) => status === 'good').length;
      const hasGood = good > 0 || state.journal.base?.status === 'good';
      const wanted = stage.rules.flatMap((rule) => (rule.rule === 'good_nodes' ? [rule.min] : []));
      if (end.reason === 'good_nodes') expect(good).toBeGreaterThanOrEqual(wanted[0] ?? Infinity);
      if (end.reason === 'node_limit') expect(state.dispatched).toBe(stage.maxNodes);
      if (end.reason === 'exhausted') expect(hasGood).toBe(true);
      if (end.reason === 'no_way_on') expect(hasGood).toBe(false);
      expect(['good_nodes', 'target', 'patience', 'node_limit', 'exhausted', 'no_way_on']).toContain(end.reason);
    });
  });

  test('makes exactly the roots that are wanted, where there is room for them', () => {
    const rules = [{ rule: 'good_nodes', min: 1 }] as const;
    simulated(
      worlds({ stageName: 'initial_implementation', fates: NO_LOSS, rules: [...rules] }),
      60,
      ({ state }, { plan, stage }) => {
        const roots = state.journal.nodes.filter(({ parent }) => parent === null).length;
        expect(roots).toBe(Math.min(plan.search.numDrafts, stage.maxNodes));
      },
    );
  });

  test('makes them even when drafts are dropped now and then', () => {
    const dropsSome = worlds({
      stageName: 'initial_implementation',
      fates: { good: 1, buggy: 1, dropped: 1, exhausted: 0 },
      rules: [],
    });
    simulated(dropsSome, 60, ({ state }, { plan, stage }) => {
      const roots = state.journal.nodes.filter(({ parent }) => parent === null).length;
      const isGivenUp = state.exhausted.includes('draft::');
      if (!isGivenUp) expect(roots).toBe(Math.min(plan.search.numDrafts, stage.maxNodes));
      if (isGivenUp) expect(timesOf(state.drops, 'draft::')).toBeGreaterThanOrEqual(3);
    });
  });

  test('never debugs longer than allowed', () => {
    simulated(worlds({ fates: { good: 1, buggy: 6, dropped: 0, exhausted: 0 } }), 60, ({ state }, { plan }) => {
      const inARow = (id: NodeId | null): number => {
        const node = findNode(state.journal, id);
        return node?.operator === 'debug' ? 1 + inARow(node.parent) : 0;
      };
      for (const { id, debugDepth } of state.journal.nodes) {
        expect(debugDepth).toBe(inARow(id));
        expect(debugDepth).toBeLessThanOrEqual(plan.search.maxDebugDepth);
      }
    });
  });

  test('ablates each component once, all of them where there is room, of the base or its first good repair', () => {
    simulated(
      worlds({ stageName: 'ablation_studies', fates: NO_LOSS, rules: [] }),
      60,
      ({ given, end, state }, { base, plan }) => {
        const targets = nodeItems(given).flatMap(({ operator, target }) => (operator === 'ablate' ? [target] : []));
        const all = plan.search.ablationPairs ? ['x', 'y', 'z', 'x+y', 'x+z', 'y+z'] : ['x', 'y', 'z'];
        const repair = state.journal.nodes.find(({ status, operator }) => status === 'good' && operator === 'debug');
        const ablated = base?.status === 'good' ? base : repair;
        expect(targets).toEqual(ablated === undefined ? [] : all.slice(0, targets.length));
        if (end.reason === 'exhausted' && ablated !== undefined) expect(targets).toEqual(all);
        expect(nodeItems(given).filter(({ operator, parent }) => operator === 'ablate' && parent !== ablated?.id)).toEqual([]);
      },
    );
  });

  test('tunes its keys evenly from round to round', () => {
    const fates = { good: 1, buggy: 0, dropped: 0, exhausted: 0 };
    simulated(worlds({ stageName: 'baseline_tuning', fates, rules: [], schedule: 'barrier' }), 60, ({ given }) => {
      const targets = nodeItems(given).flatMap(({ operator, target }) => (operator === 'tune' ? [target] : []));
      const times = ['x', 'y', 'z'].map((key) => targets.filter((target) => target === key).length);
      expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
    });
  });

  test('leaves no replica and no figure undone', () => {
    simulated(worlds(), 60, ({ state, given }, { plan, stage }) => {
      const { journal } = state;
      const replicas = given.filter(({ kind }) => kind === 'replicate').length;
      expect(Object.values(journal.replicas).flatMap((bySeed) => Object.keys(bySeed))).toHaveLength(replicas);
      for (const bySeed of Object.values(journal.replicas)) expect(Object.keys(bySeed)).toHaveLength(plan.replication.numSeeds);
      expect(journal.plotted).toHaveLength(given.filter(({ kind }) => kind === 'plot').length);
      const hasGood = [journal.base, ...journal.nodes].some((node) => node?.status === 'good');
      expect(journal.plotted.length > 0).toBe(hasGood && stage.plots);
      expect(replicas > 0).toBe(hasGood && plan.replication.numSeeds > 0);
      const compared = [bestNode(journal, plan.metric.direction), journal.base].filter((node) => node?.status === 'good');
      if (replicas > 0) for (const node of compared) expect(Object.keys(journal.replicas)).toContain(node.id);
    });
  });

  test('goes the same way again with the same seed and luck', () => {
    fc.assert(
      fc.property(worlds(), (drawn) => {
        expect(simulateStage(drawn)).toEqual(simulateStage(drawn));
      }),
      { numRuns: 30 },
    );
  });
});
