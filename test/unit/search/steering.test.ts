import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../../src/domain/item.ts';
import { bestNode } from '../../../src/domain/journal.ts';
import type { AddItemPayload } from '../../../src/domain/steering.ts';
import { backlogOf } from '../../../src/search/backlog.ts';
import { bestFirst } from '../../../src/search/best-first.ts';
import { completion } from '../../../src/search/completion.ts';
import { subtreeOf, withPruned } from '../../../src/search/pruning.ts';
import { initialStageState, withDispatched, withOutcome, type StageState } from '../../../src/search/stage-state.ts';
import { whyNotAdd, whyNotPin, whyNotPrune, type SteeredStage } from '../../../src/search/steering.ts';
import { limitedStage, noWishes, type Wishes } from '../../../src/search/wishes.ts';
import { stageDefinition, testPlan } from '../../support/plan.ts';
import { idsOf, itemOf, nodeOutcome, policyInput, sketchedNode, tree, type Sketch } from '../../support/tree.ts';

const start = { direction: 'maximize', nextNode: 1, nextSeq: 0, workers: 2, strategy: null } as const;

/** n1 is good and best, n2 descends from it, n3 is good, n4 is buggy. */
const SKETCHES: Sketch[] = [{ id: 1, metric: 0.9 }, { id: 2, parent: 1, metric: 0.8 }, { id: 3, metric: 0.5 }, { id: 4 }];

function stateOf(sketches: readonly Sketch[], wishes: Partial<Wishes> = {}): StageState {
  const nodes = tree(sketches).nodes.map(({ id }) => id);
  const made = sketches.map((sketch) => sketchedNode(sketch)).filter(({ id }) => nodes.includes(id));
  const state = made.reduce(
    (now, node) => withOutcome(withDispatched(now, 0, itemOf(node)), itemOf(node), nodeOutcome(node)),
    initialStageState(start),
  );
  return { ...state, wishes: { ...state.wishes, ...wishes } };
}

function steered(change: Partial<SteeredStage> = {}): SteeredStage {
  return {
    components: testPlan().components,
    stage: stageDefinition('initial_implementation', { maxNodes: 9 }),
    startsFrom: null,
    state: stateOf(SKETCHES),
    making: [{ node: nodeId(5), item: nodeItem('improve', nodeId(3), null, 0) }],
    isSearching: true,
    ...change,
  };
}

const work = (operator: AddItemPayload['operator'], parent?: number, target: string | null = null): AddItemPayload => ({
  operator,
  parent: parent === undefined ? null : nodeId(parent),
  target,
});

describe('a pruned subtree', () => {
  const state = stateOf(SKETCHES, { pinned: nodeId(2), added: [work('improve', 2), work('improve', 3)] });
  const pruned = withPruned(state, nodeId(1));

  test('is the node with all that descends from it', () => {
    expect([...subtreeOf(state.journal, nodeId(1))]).toEqual(['n1', 'n2']);
    expect([...subtreeOf(state.journal, nodeId(4))]).toEqual(['n4']);
  });

  test('is not best, not built on, not repaired, and still counts as made', () => {
    expect(bestNode(pruned.journal, 'maximize')?.id).toBe('n3');
    expect(pruned.journal.records.map(({ id }) => id)).toEqual(['n3']);
    const before = policyInput({ journal: tree(SKETCHES), search: { numDrafts: 3, debugProb: 1 } });
    const input = { ...before, journal: pruned.journal };
    const parents = bestFirst.backlog(input, 5).map((item) => item.parent);
    expect(parents).not.toContain('n1');
    expect(parents).not.toContain('n2');
    expect(pruned.dispatched).toBe(state.dispatched);
    expect(bestFirst.backlog(input, 5).filter(({ operator }) => operator === 'draft')).toEqual([]);
  });

  test('takes with it what was asked about it, and leaves the rest', () => {
    expect(pruned.wishes).toMatchObject({ pinned: null, added: [{ parent: 'n3' }] });
    expect(state.wishes.pinned).toBe('n2');
  });
});

describe('a pinned node', () => {
  const base = sketchedNode({ id: 1, metric: 0.9 });
  const journal = tree([{ id: 2, parent: 1, metric: 0.5 }], { base });
  const wishes = { ...noWishes(), pinned: nodeId(2) };

  test('is what is improved and tuned', () => {
    for (const name of ['creative_research', 'baseline_tuning'] as const) {
      const input = policyInput({ journal, stage: stageDefinition(name), search: { debugProb: 0 } });
      expect(bestFirst.backlog(input, 1).map(({ parent }) => parent)).toEqual(['n1']);
      expect(bestFirst.backlog({ ...input, wishes }, 2).map(({ parent }) => parent)).toEqual(['n2', 'n2']);
    }
  });

  test('is left for the best one where nothing is left to tune on it', () => {
    const exhausted = ['x', 'y', 'z'].map((key) => `tune:n2:${key}`);
    const input = policyInput({ journal, stage: stageDefinition('baseline_tuning'), exhausted, wishes });
    expect(bestFirst.backlog(input, 1).map(({ parent }) => parent)).toEqual(['n1']);
  });

  test.each([
    ['that there is not', 9, 'no node n9'],
    ['that is being made', 5, 'n5 is still being made'],
    ['that does not work', 4, 'buggy (exception)'],
  ])('is refused for one %s', (_, id, why) => {
    expect(whyNotPin(steered(), nodeId(id))).toContain(why);
    expect(whyNotPin(steered(), nodeId(3))).toBeNull();
  });
});

describe('pruning is refused', () => {
  test.each([
    ['for a node that there is not', steered(), 9, 'no node n9'],
    ['for the node that the stage starts from', steered({ startsFrom: nodeId(3) }), 3, 'skip the stage instead'],
    ['for one that is pruned', steered({ state: withPruned(stateOf(SKETCHES), nodeId(1)) }), 2, 'n2 is pruned already'],
  ])('%s', (_, at, id, why) => {
    expect(whyNotPrune(at, nodeId(id))).toContain(why);
  });

  test('but not for a good, a buggy or an unfinished node', () => {
    expect([1, 4, 5].map((id) => whyNotPrune(steered(), nodeId(id)))).toEqual([null, null, null]);
  });
});

describe('adding work is refused', () => {
  const full = steered({ stage: stageDefinition('initial_implementation', { maxNodes: 4 }) });
  const spent = steered({ state: { ...stateOf(SKETCHES), exhausted: ['tune:n1:x'] } });
  test.each<[string, SteeredStage, AddItemPayload, string]>([
    ['without a parent', steered(), work('improve'), 'needs a node'],
    ['on a node that there is not', steered(), work('improve', 9), 'no node n9'],
    ['that builds on a buggy node', steered(), work('improve', 4), 'improve starts from a good node'],
    ['that repairs a good node', steered(), work('debug', 1), 'debug starts from a buggy node'],
    ['that drafts from a node', steered(), work('draft', 1), 'leave out the parent'],
    ['that drafts in a stage that starts from a node', steered({ startsFrom: nodeId(1) }), work('draft'), 'not from drafts'],
    ['that merges', steered(), work('merge', 1), 'only a strategy'],
    ['that tunes nothing', steered(), work('tune', 1), 'needs the component'],
    ['that tunes what there is not', steered(), work('tune', 1, 'depth'), 'depth is no component'],
    ['that ablates a pair with a stranger', steered(), work('ablate', 1, 'x+depth'), 'depth is no component'],
    ['with a target that has no meaning', steered(), work('improve', 1, 'x'), 'takes no target'],
    ['that is being done', steered(), work('improve', 3), 'being done already'],
    ['that was given up', spent, work('tune', 1, 'x'), 'given up before'],
    ['beyond the limit', full, work('improve', 1), 'all of its 4 nodes'],
    ['when no nodes are given out', steered({ isSearching: false }), work('improve', 1), 'gives out no more nodes'],
    ['on what was pruned', steered({ state: withPruned(stateOf(SKETCHES), nodeId(1)) }), work('improve', 2), 'n2 was pruned'],
    ['twice', steered({ state: stateOf(SKETCHES, { added: [work('improve', 1)] }) }), work('improve', 1), 'added already'],
  ])('%s', (_, at, wanted, why) => {
    expect(whyNotAdd(at, wanted)).toContain(why);
  });

  test('but not what a worker could do', () => {
    const fine = [work('improve', 1), work('debug', 4), work('draft'), work('tune', 1, 'x'), work('ablate', 3, 'x+y')];
    expect(fine.map((wanted) => whyNotAdd(steered(), wanted))).toEqual([null, null, null, null, null]);
  });
});

describe('added work', () => {
  const journal = tree([
    { id: 1, metric: 0.9 },
    { id: 2, metric: 0.5 },
  ]);
  const wishes = { ...noWishes(), added: [work('improve', 1), work('tune', 2, 'x')] };
  const input = policyInput({ journal, wishes, search: { numDrafts: 2, debugProb: 0 } });

  test('comes before what the policy wants, which then wants something else', () => {
    const ids = idsOf(backlogOf(bestFirst, input, { want: 4, merges: [], base: null }));
    expect(ids.slice(0, 2)).toEqual(['improve:n1#0', 'tune:n2:x#0']);
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(2)).toEqual(['improve:n1#1', 'improve:n1#2']);
  });

  test('never goes beyond what is wanted or the limit leaves room for', () => {
    expect(backlogOf(bestFirst, input, { want: 1, merges: [], base: null })).toHaveLength(1);
    const tight = { ...input, stage: stageDefinition('initial_implementation', { maxNodes: 3 }) };
    expect(idsOf(backlogOf(bestFirst, tight, { want: 4, merges: [], base: null }))).toEqual(['improve:n1#0']);
  });

  test('keeps a stage open that a rule would end, up to its limit', () => {
    expect(completion({ ...input, wishes: noWishes() })?.reason).toBe('good_nodes');
    expect(completion(input)).toBeNull();
    expect(completion({ ...input, dispatched: 6 })).not.toBeNull();
  });

  test('is done with when it is given out', () => {
    const given: NodeItem = nodeItem('improve', nodeId(1), null, 0);
    const state = withDispatched(stateOf(SKETCHES, { added: wishes.added }), 0, given);
    expect(state.wishes.added).toEqual([work('tune', 2, 'x')]);
  });
});

describe('the limit of nodes', () => {
  const own = stageDefinition('baseline_tuning', { maxNodes: 6 });

  test.each([
    [{}, 6],
    [{ maxNodes: 9 }, 9],
    [{ budgetLeft: 4 }, 4],
    [{ maxNodes: 3, budgetLeft: 4 }, 3],
    [{ maxNodes: 9, budgetLeft: 0 }, 0],
  ])('with %j is %d', (limits, expected) => {
    expect(limitedStage(own, noWishes(limits)).maxNodes).toBe(expected);
  });

  test('says whose it is when it is reached', () => {
    const wishes = noWishes({ budgetLeft: 2 });
    const input = policyInput({ stage: limitedStage(own, wishes), wishes, dispatched: 2 });
    expect(completion(input)).toMatchObject({ reason: 'budget' });
    expect(completion({ ...input, wishes: noWishes() })).toMatchObject({ reason: 'node_limit' });
  });
});
