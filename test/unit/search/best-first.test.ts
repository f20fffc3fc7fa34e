import { describe, expect, test } from 'vitest';
import type { FailureReason } from '../../../src/domain/failure.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { nodeItem, plotItem, replicateItem } from '../../../src/domain/item.ts';
import { bestFirst } from '../../../src/search/best-first.ts';
import { stageDefinition } from '../../support/plan.ts';
import { idsOf, policyInput, sketchedNode, tree, type InputChange, type Sketch } from '../../support/tree.ts';

/** The ids of a backlog; `room` is ample and debug off unless a test says otherwise. */
const backlog = (change: InputChange & { maxNodes?: number }, want: number): string[] => {
  const { maxNodes = 100, stage = stageDefinition('creative_research', { maxNodes }), ...rest } = change;
  return idsOf(bestFirst.backlog(policyInput({ ...rest, stage, search: { debugProb: 0, numDrafts: 3, ...rest.search } }), want));
};

const roots: readonly Sketch[] = [
  { id: 1, metric: 0.5 },
  { id: 2, metric: 0.9 },
  { id: 3, metric: 0.7 },
];
const withBuggyLeaf: readonly Sketch[] = [...roots, { id: 4, parent: 2 }];
const base = sketchedNode({ id: 1, metric: 0.5 });

describe('drafts', () => {
  test('are exactly as many as wanted, also in one batch for more workers', () => {
    expect(backlog({}, 5)).toEqual(['draft#0', 'draft#1', 'draft#2']);
    expect(backlog({ search: { numDrafts: 1 } }, 5)).toEqual(['draft#0']);
  });

  test('count those in flight, which are not given out again', () => {
    const inFlight = [nodeItem('draft', null, null, 0)];
    expect(backlog({ inFlight }, 5)).toEqual(['draft#1', 'draft#2']);
  });

  test('come before any other work', () => {
    expect(backlog({ journal: tree([{ id: 1, metric: 1 }, { id: 2 }]), search: { debugProb: 1 } }, 2)).toEqual([
      'draft#2',
      'debug:n2#0',
    ]);
  });

  test('are given out again under a new id when one made no node', () => {
    const journal = tree([{ id: 1 }, { id: 2 }]);
    expect(backlog({ journal, tried: { 'draft::': 3 } }, 1)).toEqual(['draft#3']);
  });

  test('are not wanted in a stage that starts from a node', () => {
    expect(backlog({ journal: tree([], { base }) }, 2)).toEqual(['improve:n1#0', 'improve:n1#1']);
  });
});

describe('debug', () => {
  test('comes first when its probability is 1, and last when it is 0', () => {
    const journal = tree(withBuggyLeaf);
    expect(backlog({ journal, search: { debugProb: 1 } }, 1)).toEqual(['debug:n4#0']);
    expect(backlog({ journal, search: { debugProb: 0 } }, 3)).toEqual(['improve:n2#1', 'improve:n3#0', 'improve:n1#0']);
  });

  test('is all there is to do while nothing works, even at probability 0', () => {
    const journal = tree([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(backlog({ journal }, 5).sort()).toEqual(['debug:n1#0', 'debug:n2#0', 'debug:n3#0']);
  });

  test('takes a leaf once, in a batch and while its repair is in flight', () => {
    const journal = tree(withBuggyLeaf);
    const both = backlog({ journal, search: { debugProb: 1 } }, 2);
    expect(both).toEqual(['debug:n4#0', 'improve:n3#0']);
    const inFlight = [nodeItem('debug', nodeId(4), null, 0)];
    expect(backlog({ journal, inFlight, search: { debugProb: 1 } }, 1)).toEqual(['improve:n3#0']);
  });

  test('is no longer than allowed, exactly', () => {
    const chain = (length: number) =>
      tree([
        ...roots,
        { id: 10, parent: 2 },
        ...Array.from({ length }, (_, i) => ({ id: 11 + i, parent: 10 + i, operator: 'debug' as const })),
      ]);
    const allowed = (depth: number, maxDebugDepth: number): boolean =>
      backlog({ journal: chain(depth), search: { debugProb: 1, maxDebugDepth } }, 1)[0]?.startsWith('debug') === true;
    expect([0, 1, 2, 3, 4].map((depth) => allowed(depth, 3))).toEqual([true, true, true, false, false]);
    expect([0, 1].map((depth) => allowed(depth, 0))).toEqual([false, false]);
    expect([0, 1, 2].map((depth) => allowed(depth, 1))).toEqual([true, false, false]);
  });

  test('starts to count again after a step that was no debug', () => {
    const journal = tree([
      ...roots,
      { id: 4, parent: 2 },
      { id: 5, parent: 4, operator: 'debug', metric: 0.1 },
      { id: 6, parent: 5 },
    ]);
    expect(backlog({ journal, search: { debugProb: 1, maxDebugDepth: 1 } }, 1)).toEqual(['debug:n6#0']);
  });

  test.each<FailureReason>(['cancelled', 'pruned', 'poison', 'infrastructure'])('does not repair a node that is %s', (reason) => {
    const journal = tree([...roots, { id: 4, parent: 2, reason }]);
    expect(backlog({ journal, search: { debugProb: 1 } }, 1)).toEqual(['improve:n2#1']);
  });

  test.each<FailureReason>(['exception', 'timeout', 'out_of_memory', 'bad_result', 'proposal_malformed'])(
    'repairs a node that failed with %s',
    (reason) => {
      const journal = tree([...roots, { id: 4, parent: 2, reason }]);
      expect(backlog({ journal, search: { debugProb: 1 } }, 1)).toEqual(['debug:n4#0']);
    },
  );

  test('prefers branches that no other slot works on', () => {
    const journal = tree([...roots, { id: 4, parent: 1 }, { id: 5, parent: 1 }, { id: 6, parent: 3 }]);
    for (const seed of [1, 2, 3, 4, 5]) {
      const chosen = backlog({ journal, seed, search: { debugProb: 1 } }, 3);
      const branches = chosen.slice(0, 2).map((id) => (id === 'debug:n6#0' ? 'n3' : 'n1'));
      expect(branches.sort()).toEqual(['n1', 'n3']);
      expect(new Set(chosen).size).toBe(3);
    }
  });

  test('skips a leaf with nothing left to try', () => {
    expect(backlog({ journal: tree(withBuggyLeaf), exhausted: ['debug:n4:'], search: { debugProb: 1 } }, 1)).toEqual([
      'improve:n2#1',
    ]);
  });

  test('repairs a base that fails on the datasets of the stage', () => {
    const broken = sketchedNode({ id: 1, operator: 'draft' });
    expect(backlog({ journal: tree([], { base: broken }) }, 4)).toEqual(['debug:n1#0']);
  });
});

describe('the draw between debug and the rest', () => {
  const first = (seed: number, debugProb: number) => backlog({ journal: tree(withBuggyLeaf), seed, search: { debugProb } }, 1)[0];
  const seeds = Array.from({ length: 400 }, (_, seed) => seed);

  test.each([0.1, 0.5, 0.9])('comes out for debug with probability %s', (debugProb) => {
    const share = seeds.filter((seed) => first(seed, debugProb) === 'debug:n4#0').length / seeds.length;
    expect(Math.abs(share - debugProb)).toBeLessThan(0.08);
  });

  test('is made anew for each slot', () => {
    const journal = tree(withBuggyLeaf);
    const input = { journal, search: { debugProb: 0.5 } };
    const drawn = [4, 5, 6, 7, 8, 9, 10, 11].map((dispatched) => backlog({ ...input, dispatched }, 1)[0]);
    expect(new Set(drawn).size).toBe(2);
  });

  test('comes out the same for the same seed, and hits every leaf for some seed', () => {
    const journal = tree([...roots, { id: 4, parent: 1 }, { id: 5, parent: 2 }, { id: 6, parent: 3 }]);
    const drawn = (seed: number) => backlog({ journal, seed, search: { debugProb: 1 } }, 1)[0];
    expect(seeds.map(drawn)).toEqual(seeds.map(drawn));
    const counts = ['debug:n4#0', 'debug:n5#0', 'debug:n6#0'].map((id) => seeds.filter((seed) => drawn(seed) === id).length);
    expect(Math.min(...counts)).toBeGreaterThan(100);
  });
});

describe('improve', () => {
  test('takes distinct branches best first, then the best again under the next ordinal', () => {
    expect(backlog({ journal: tree(roots) }, 5)).toEqual([
      'improve:n2#0',
      'improve:n3#0',
      'improve:n1#0',
      'improve:n2#1',
      'improve:n2#2',
    ]);
    expect(backlog({ journal: tree(roots), direction: 'minimize' }, 3)).toEqual(['improve:n1#0', 'improve:n3#0', 'improve:n2#0']);
  });

  test('takes the best node of a branch, of equals the earlier', () => {
    const journal = tree([...roots, { id: 4, parent: 1, metric: 0.95 }, { id: 5, parent: 2, metric: 0.9 }]);
    expect(backlog({ journal }, 3)).toEqual(['improve:n4#0', 'improve:n2#1', 'improve:n3#0']);
  });

  test('leaves branches alone that are being worked on, whatever the work', () => {
    const journal = tree(withBuggyLeaf);
    const inFlight = [nodeItem('debug', nodeId(4), null, 0), nodeItem('improve', nodeId(3), null, 0)];
    expect(backlog({ journal, inFlight }, 1)).toEqual(['improve:n1#0']);
  });

  test('is not kept from a branch by replicas and figures', () => {
    const inFlight = [replicateItem(nodeId(2), 0), plotItem(nodeId(2))];
    expect(backlog({ journal: tree(roots), inFlight }, 1)).toEqual(['improve:n2#0']);
  });

  test('counts on from what was given out before', () => {
    const journal = tree([...roots, { id: 4, parent: 2, metric: 0.1 }, { id: 5, parent: 2, metric: 0.2 }]);
    expect(backlog({ journal }, 1)).toEqual(['improve:n2#2']);
  });

  test('counts each child of a base as a branch, and the base as one', () => {
    const journal = tree(
      [
        { id: 2, parent: 1, metric: 0.8 },
        { id: 3, parent: 2, metric: 0.9 },
        { id: 4, parent: 1, metric: 0.6 },
      ],
      { base },
    );
    expect(backlog({ journal }, 4)).toEqual(['improve:n3#0', 'improve:n4#0', 'improve:n1#2', 'improve:n3#1']);
  });

  test('goes on with the next best when nothing is left to try on the best', () => {
    expect(backlog({ journal: tree(roots), exhausted: ['improve:n2:'] }, 4)).toEqual([
      'improve:n3#0',
      'improve:n1#0',
      'improve:n3#1',
      'improve:n3#2',
    ]);
  });

  test('ends when nothing is left anywhere', () => {
    const exhausted = ['improve:n1:', 'improve:n2:', 'improve:n3:'];
    expect(backlog({ journal: tree(roots), exhausted }, 4)).toEqual([]);
  });
});

describe('the limit of a stage', () => {
  test('leaves room for what is not given out yet', () => {
    expect(backlog({ journal: tree(roots), maxNodes: 5 }, 4)).toHaveLength(2);
    expect(backlog({ journal: tree(roots), maxNodes: 5, inFlight: [nodeItem('improve', nodeId(2), null, 0)] }, 4)).toEqual([
      'improve:n3#0',
    ]);
  });

  test('ends the backlog when it is reached or was lowered below what was given out', () => {
    expect(backlog({ journal: tree(roots), maxNodes: 3 }, 4)).toEqual([]);
    expect(backlog({ journal: tree(roots), maxNodes: 1 }, 4)).toEqual([]);
    expect(backlog({ maxNodes: 0 }, 4)).toEqual([]);
    expect(backlog({}, 0)).toEqual([]);
  });

  test('cuts the drafts too', () => {
    expect(backlog({ maxNodes: 2 }, 4)).toEqual(['draft#0', 'draft#1']);
  });
});

describe('the operator of a stage', () => {
  const journal = tree([], { base });
  const stageBacklog = (name: 'baseline_tuning' | 'ablation_studies', change: InputChange = {}) =>
    backlog({ journal, stage: stageDefinition(name), ...change }, 4);

  test('tunes keys of the best node in stage 2', () => {
    const ids = stageBacklog('baseline_tuning');
    expect(ids).toHaveLength(4);
    expect(ids.slice(0, 3).sort()).toEqual(['tune:n1:x#0', 'tune:n1:y#0', 'tune:n1:z#0']);
    expect(ids[3]).toMatch(/^tune:n1:[xyz]#1$/);
  });

  test('ablates each component once in stage 4 and then ends', () => {
    expect(stageBacklog('ablation_studies')).toEqual(['ablate:n1:x#0', 'ablate:n1:y#0', 'ablate:n1:z#0']);
  });

  test('gives way to repairs when it has nothing to do', () => {
    const withFailed = tree([{ id: 2, parent: 1, operator: 'ablate', target: 'x' }], { base });
    expect(stageBacklog('ablation_studies', { journal: withFailed })).toEqual(['ablate:n1:y#0', 'ablate:n1:z#0', 'debug:n2#0']);
  });
});

describe('a large journal', () => {
  /** How often a node is read on average for one backlog; in the worst case, when every branch is taken. */
  const readsPerNode = (count: number): number => {
    const grown = Array.from({ length: count }, (_, i) => ({ id: i + 2, parent: i < 3 ? 1 : i - 1, metric: i / count }));
    const journal = tree(grown, { base });
    let reads = 0;
    const nodes = new Proxy(journal.nodes, {
      get(list, key): unknown {
        if (/^\d+$/.test(String(key))) reads++;
        return Reflect.get(list, key);
      },
    });
    const stage = stageDefinition('creative_research', { maxNodes: 100_000 });
    bestFirst.backlog({ ...policyInput({ journal, stage }), journal: { ...journal, nodes } }, 8);
    return reads / count;
  };

  test('is passed over a fixed number of times, so that a workflow task of a long run stays short', () => {
    expect(readsPerNode(50)).toBeGreaterThan(1);
    expect(readsPerNode(2000)).toBeLessThanOrEqual(readsPerNode(50));
    expect(readsPerNode(2000)).toBeLessThan(8 * 10);
  });
});
