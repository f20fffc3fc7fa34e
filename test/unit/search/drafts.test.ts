import { describe, expect, test } from 'vitest';
import { nodeItem } from '../../../src/domain/item.ts';
import { isDraftDue } from '../../../src/search/drafts.ts';
import { policyInput, sketchedNode, tree } from '../../support/tree.ts';

const draft = (ordinal: number) => nodeItem('draft', null, null, ordinal);

describe('a draft is due', () => {
  test('while fewer roots were made than are wanted, good or buggy', () => {
    expect(isDraftDue(policyInput({ journal: tree([{ id: 1 }, { id: 2, metric: 1 }]) }))).toBe(true);
    expect(isDraftDue(policyInput({ journal: tree([{ id: 1 }, { id: 2, metric: 1 }, { id: 3 }]) }))).toBe(false);
  });

  test('counting those that are being made and those chosen before it', () => {
    const journal = tree([{ id: 1 }]);
    expect(isDraftDue(policyInput({ journal, inFlight: [draft(1)] }))).toBe(true);
    expect(isDraftDue(policyInput({ journal, inFlight: [draft(1)] }), [draft(2)])).toBe(false);
    expect(isDraftDue(policyInput({ journal, inFlight: [draft(1), draft(2)] }))).toBe(false);
  });

  test('whatever else was made from the roots', () => {
    const journal = tree([
      { id: 1, metric: 1 },
      { id: 2, parent: 1 },
      { id: 3, parent: 2, operator: 'debug' },
    ]);
    expect(isDraftDue(policyInput({ journal }))).toBe(true);
  });

  test('never in a stage that starts from a node', () => {
    expect(isDraftDue(policyInput({ journal: tree([], { base: sketchedNode({ id: 1, metric: 1 }) }) }))).toBe(false);
    expect(isDraftDue(policyInput({ journal: tree([], { base: sketchedNode({ id: 1 }) }) }))).toBe(false);
  });

  test('no more when there is nothing left to draft', () => {
    expect(isDraftDue(policyInput({ exhausted: ['draft::'] }))).toBe(false);
  });
});
