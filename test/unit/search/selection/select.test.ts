import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../../../src/domain/item.ts';
import { bestRecords, rankedNodes } from '../../../../src/domain/journal.ts';
import { SelectionName, SelectionOptions } from '../../../../src/domain/run-plan.ts';
import { Node } from '../../../../src/domain/node.ts';
import { bestFirst } from '../../../../src/search/best-first.ts';
import type { PolicyInput } from '../../../../src/search/policy.ts';
import { openNodes } from '../../../../src/search/selection/open-nodes.ts';
import { noWishes } from '../../../../src/search/wishes.ts';
import { worlds } from '../../../support/arbitrary.ts';
import { stageDefinition } from '../../../support/plan.ts';
import { simulateStage } from '../../../support/simulation.ts';
import { policyInput, sketchedNode, tree, type InputChange, type Sketch } from '../../../support/tree.ts';

const base = sketchedNode({ id: 1, metric: 0.5 });
const improve = (parent: number, ordinal = 0): NodeItem => nodeItem('improve', nodeId(parent), null, ordinal);
const nodes: readonly Sketch[] = [
  { id: 2, parent: 1, metric: 0.7 },
  { id: 3, parent: 2 },
  { id: 4, parent: 3, operator: 'debug', metric: 0.6 },
  { id: 5, parent: 1, metric: 0.7 },
];

/** A creative stage that repairs nothing, by this rule of selection. */
function creative(selection: Partial<SelectionOptions>, change: InputChange = {}): PolicyInput {
  return policyInput({
    stage: stageDefinition('creative_research', { maxNodes: 10_000 }),
    journal: tree(nodes, { base }),
    ...change,
    search: { debugProb: 0, selection: SelectionOptions.parse(selection) },
  });
}

/** The nodes that are improved next. */
function improved(input: PolicyInput, want: number): (string | null)[] {
  return bestFirst.backlog(input, want).map(({ parent }) => parent);
}

describe('the open nodes', () => {
  test('are the good ones with something left, by rank, with the work on what descends from them', () => {
    expect(openNodes(creative({}), [improve(4), improve(4, 1)])).toEqual([
      { id: 'n1', score: 0, parent: null, visits: 5, children: 2 },
      { id: 'n2', score: 2 / 3, parent: 'n1', visits: 3, children: 1 },
      { id: 'n4', score: 1 / 3, parent: 'n2', visits: 2, children: 2 },
      { id: 'n5', score: 2 / 3, parent: 'n1', visits: 0, children: 0 },
    ]);
  });

  test('hang on the nearest one that is open itself', () => {
    const open = openNodes(creative({}, { exhausted: ['improve:n2:'] }), []);
    expect(open.map(({ id, parent, score }) => [id, parent, score])).toEqual([
      ['n1', null, 0],
      ['n4', 'n1', 0.5],
      ['n5', 'n1', 1],
    ]);
  });

  test('rank the other way where less is better', () => {
    const open = openNodes(creative({}, { direction: 'minimize' }), []);
    expect(open.map(({ id, score }) => [id, score])).toEqual([
      ['n1', 1],
      ['n2', 0],
      ['n4', 2 / 3],
      ['n5', 0],
    ]);
  });
});

describe.each(SelectionName.options)('the selection %s', (name) => {
  test('puts a pinned node first, as long as it has something left', () => {
    const wishes = { ...noWishes(), pinned: nodeId(4) };
    expect(improved(creative({ name }, { wishes }), 3)).toEqual(['n4', 'n4', 'n4']);
    expect(improved(creative({ name }, { wishes, exhausted: ['improve:n4:'] }), 3)).not.toContain('n4');
  });

  test('takes what is left, and nothing where nothing is', () => {
    const exhausted = ['improve:n1:', 'improve:n4:', 'improve:n5:'];
    expect(improved(creative({ name }, { exhausted }), 2)).toEqual(['n2', 'n2']);
    expect(improved(creative({ name }, { exhausted: [...exhausted, 'improve:n2:'] }), 2)).toEqual([]);
  });

  test('keeps every rule of a stage from begin to end, and ends', () => {
    const selection = SelectionOptions.parse({ name });
    fc.assert(
      fc.property(worlds(), (world) => {
        const plan = { ...world.plan, search: { ...world.plan.search, selection } };
        expect(simulateStage({ ...world, plan }).problems).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a plan', () => {
  test('that names no selection improves the best, as before there were any', () => {
    const input = policyInput({ stage: stageDefinition('creative_research'), journal: tree(nodes, { base }) });
    expect(input.plan.search.selection).toBeUndefined();
    const named = { ...input, plan: { ...input.plan, search: { ...input.plan.search, selection: SelectionOptions.parse({}) } } };
    expect(bestFirst.backlog(input, 4)).toEqual(bestFirst.backlog(named, 4));
  });
});

describe('the slots of a batch', () => {
  test('go by a beam in turn', () => {
    const tried = { 'improve:n1:': 2 };
    expect(improved(creative({ name: 'beam', beamWidth: 3 }, { tried }), 4)).toEqual(['n4', 'n2', 'n5', 'n4']);
  });

  test('get different nodes by uct, and count what is in flight', () => {
    const selection = { name: 'uct' } as const;
    expect(new Set(improved(creative(selection), 4)).size).toBe(4);
    const inFlight = [improve(5, 0), improve(4, 0)];
    expect(improved(creative(selection, { inFlight }), 2).toSorted()).toEqual(['n1', 'n2']);
  });

  test('go round the front of the datasets by pareto', () => {
    const scored = (id: number, a: number, b: number): Node =>
      Node.parse({ ...sketchedNode({ id, metric: (a + b) / 2 }), scores: { a, b } });
    const records = bestRecords([scored(2, 0.9, 0.5), scored(5, 0.6, 0.8), scored(4, 0.6, 0.6)], 'maximize');
    const tried = { 'improve:n1:': 2 };
    const journal = tree(nodes, { base: scored(1, 0.5, 0.5), records });
    expect(improved(creative({ name: 'pareto' }, { journal, tried }), 4)).toEqual(['n2', 'n5', 'n2', 'n5']);
    expect(improved(creative({ name: 'pareto' }, { journal, tried, direction: 'minimize' }), 2)).toEqual(['n1', 'n1']);
  });

  test('take the best of all by pareto where no datasets are known', () => {
    const exhausted = ['improve:n1:'];
    expect(improved(creative({ name: 'pareto' }, { exhausted }), 2)).toEqual(['n2', 'n2']);
  });

  test('differ by the seed where they are drawn, and only there', () => {
    const drawn = SelectionName.options.filter((name) => {
      const bySeed = [1, 2, 3, 4, 5].map((seed) => JSON.stringify(improved(creative({ name }, { seed }), 8)));
      return new Set(bySeed).size > 1;
    });
    expect(drawn).toEqual(['novelty', 'clades']);
  });
});

/** The nodes that 60 steps improve, one at a time, when no child is as good as the base. */
function expansions(selection: Partial<SelectionOptions>): string[] {
  const grown: Sketch[] = [];
  const parents: string[] = [];
  for (let step = 0; step < 60; step++) {
    const input = creative(selection, { journal: tree(grown, { base }) });
    const [item] = bestFirst.backlog(input, 1);
    if (item?.parent === undefined || item.parent === null) throw new Error('nothing to improve');
    parents.push(item.parent);
    grown.push({ id: step + 2, parent: Number(item.parent.slice(1)), metric: 0.4 - step / 1000 });
  }
  return parents;
}

describe('exploration', () => {
  test('spreads expansions over more nodes than the best alone', () => {
    const best = new Set(expansions({ name: 'best' })).size;
    const explored = new Set(expansions({ name: 'puct', exploration: 3 })).size;
    const greedy = new Set(expansions({ name: 'puct', exploration: 0 })).size;
    expect(greedy).toBe(1);
    expect(explored).toBeGreaterThan(2 * best);
  });

  test('of nothing is the order of the ranking', () => {
    const sketches = [0.3, 0.9, 0.1, 0.7, 0.4].map((metric, at) => ({ id: at + 2, parent: 1, metric }));
    const journal = tree(sketches, { base });
    const exhausted: string[] = [];
    const order: (string | null)[] = [];
    while (order.length < 6) {
      const [next = null] = improved(creative({ name: 'puct', exploration: 0 }, { journal, exhausted: [...exhausted] }), 1);
      order.push(next);
      exhausted.push(`improve:${next ?? ''}:`);
    }
    expect(order).toEqual(rankedNodes(journal, 'maximize').map(({ id }) => id));
  });
});
