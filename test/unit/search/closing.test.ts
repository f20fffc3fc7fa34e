import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import { plotItem, replicateItem, type Item } from '../../../src/domain/item.ts';
import type { StageJournal } from '../../../src/domain/journal.ts';
import { closingItems } from '../../../src/search/closing.ts';
import { stageDefinition, testPlan } from '../../support/plan.ts';
import { idsOf, sketchedNode, tree } from '../../support/tree.ts';

const base = sketchedNode({ id: 1, metric: 0.5 });
const journal = tree(
  [
    { id: 2, parent: 1, metric: 0.6 },
    { id: 3, parent: 1 },
    { id: 4, parent: 1, metric: 0.4 },
  ],
  { base },
);

interface Change {
  readonly journal?: StageJournal;
  readonly inFlight?: readonly Item[];
  readonly numSeeds?: number;
  readonly scope?: 'best' | 'node';
  readonly plots?: boolean;
  readonly direction?: 'maximize' | 'minimize';
}

const closing = (change: Change = {}) => {
  const plan = testPlan();
  const { numSeeds = 2, scope = 'best', plots = false, direction = 'maximize' } = change;
  const stage = stageDefinition('creative_research', { plots });
  const options = { replication: { numSeeds, scope }, metric: { ...plan.metric, direction } };
  return idsOf(closingItems(options, stage, change.journal ?? journal, change.inFlight ?? []));
};

describe('what is left at the end of a stage', () => {
  test('is to evaluate the best node and the base on every seed', () => {
    expect(closing()).toEqual(['replicate:n2#0', 'replicate:n2#1', 'replicate:n1#0', 'replicate:n1#1']);
    expect(closing({ direction: 'minimize' })).toEqual(['replicate:n4#0', 'replicate:n4#1', 'replicate:n1#0', 'replicate:n1#1']);
    expect(closing({ numSeeds: 1 })).toEqual(['replicate:n2#0', 'replicate:n1#0']);
  });

  test('is the base once when nothing is better', () => {
    expect(closing({ journal: tree([{ id: 2, parent: 1, metric: 0.5 }], { base }) })).toEqual([
      'replicate:n1#0',
      'replicate:n1#1',
    ]);
  });

  test('is the best alone when the base failed or there is none', () => {
    const broken = sketchedNode({ id: 1 });
    expect(closing({ journal: tree([{ id: 2, parent: 1, operator: 'debug', metric: 1 }], { base: broken }) })).toEqual([
      'replicate:n2#0',
      'replicate:n2#1',
    ]);
    expect(
      closing({
        journal: tree([
          { id: 2, metric: 1 },
          { id: 3, metric: 2 },
        ]),
      }),
    ).toEqual(['replicate:n3#0', 'replicate:n3#1']);
  });

  test('is every good node, best first, when each is to be replicated', () => {
    expect(closing({ scope: 'node', numSeeds: 1 })).toEqual(['replicate:n2#0', 'replicate:n1#0', 'replicate:n4#0']);
  });

  test('is nothing without a good node, and nothing when no seeds are wanted', () => {
    expect(closing({ journal: tree([{ id: 1 }]), plots: true })).toEqual([]);
    expect(closing({ numSeeds: 0 })).toEqual([]);
  });

  test('is to draw the figures of what is compared, where a stage has figures', () => {
    expect(closing({ numSeeds: 0, plots: true })).toEqual(['plot:n2', 'plot:n1']);
    expect(closing({ numSeeds: 0, plots: true, scope: 'node' })).toEqual(['plot:n2', 'plot:n1']);
    expect(closing({ numSeeds: 1, plots: true }).slice(2)).toEqual(['plot:n2', 'plot:n1']);
  });

  test('grows smaller as it is done, whether it worked or not', () => {
    const partly = { ...journal, replicas: { n2: { '1': null }, n1: { '0': 0.5 } }, plotted: [nodeId(2)] };
    expect(closing({ journal: partly, plots: true })).toEqual(['replicate:n2#0', 'replicate:n1#1', 'plot:n1']);
    const done = { ...journal, replicas: { n2: { '0': 1, '1': null }, n1: { '0': 1, '1': 1 } }, plotted: [nodeId(1), nodeId(2)] };
    expect(closing({ journal: done, plots: true })).toEqual([]);
  });

  test('leaves out what is being done', () => {
    const inFlight = [replicateItem(nodeId(2), 0), replicateItem(nodeId(1), 1), plotItem(nodeId(1))];
    expect(closing({ inFlight, plots: true })).toEqual(['replicate:n2#1', 'replicate:n1#0', 'plot:n2']);
  });

  test('never has the same item twice', () => {
    const ids = closing({ scope: 'node', plots: true, numSeeds: 5 });
    expect(new Set(ids).size).toBe(ids.length);
  });
});
