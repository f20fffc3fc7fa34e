import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../src/domain/ids.ts';
import { nodeItem, type NodeItem } from '../../src/domain/item.ts';
import { SelectionName, SelectionOptions } from '../../src/domain/run-plan.ts';
import type { Policy, PolicyInput } from '../../src/search/policy.ts';
import { POLICIES } from '../../src/search/registry.ts';
import { emptyTally } from '../../src/search/tally.ts';
import { stageDefinition } from '../support/plan.ts';
import { policyInputs } from '../support/arbitrary.ts';
import { backlogProblems } from '../support/search-rules.ts';
import { policyInput, sketchedNode, tree } from '../support/tree.ts';
import { frozenClone } from '../support/strategy-rules.ts';

/** A policy whose plans name this rule of selection, or none. */
function selecting(policy: Policy, name?: SelectionName): Policy {
  if (name === undefined) return policy;
  const selection = SelectionOptions.parse({ name });
  return {
    name: `${policy.name}, selecting by ${name}`,
    backlog(input, want) {
      const { plan } = input;
      return policy.backlog({ ...input, plan: { ...plan, search: { ...plan.search, selection } } }, want);
    },
  };
}

const ALL = POLICIES.flatMap((policy) => [undefined, ...SelectionName.options].map((name) => selecting(policy, name)));

describe.each(ALL.map((policy) => [policy.name, policy] as const))('the policy %s', (_, policy) => {
  const want = fc.nat(12);

  test('offers what it may, as much as is wanted at most, and always ends', () => {
    fc.assert(
      fc.property(policyInputs(policy), want, (input, count) => {
        expect(backlogProblems(input, count, policy.backlog(input, count))).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  test('gives the same backlog for the same input, and changes none of it', () => {
    fc.assert(
      fc.property(policyInputs(policy), want, (input, count) => {
        expect(policy.backlog(frozenClone(input), count)).toEqual(policy.backlog(structuredClone(input), count));
      }),
    );
  });

  test('wants the same first, however much is wanted', () => {
    fc.assert(
      fc.property(policyInputs(policy), want, want, (input, one, other) => {
        const [few, many] = [Math.min(one, other), Math.max(one, other)];
        expect(policy.backlog(input, few)).toEqual(policy.backlog(input, many).slice(0, few));
      }),
    );
  });

  test('has work for a stage that begins, in each of the stages', () => {
    const base = sketchedNode({ id: 1, metric: 0.5 });
    const begins = [
      policyInput({ stage: stageDefinition('initial_implementation') }),
      ...(['baseline_tuning', 'creative_research', 'ablation_studies'] as const).map((name) =>
        policyInput({ stage: stageDefinition(name), journal: tree([], { base }) }),
      ),
    ];
    expect(begins.map((input) => policy.backlog(input, 2).length)).toEqual([2, 2, 2, 2]);
  });
});

describe('the check of a policy sees', () => {
  const base = sketchedNode({ id: 1, metric: 0.5 });
  const deep = [
    { id: 2, parent: 1 },
    { id: 3, parent: 2, operator: 'debug' as const },
  ];
  const draft = (ordinal: number) => nodeItem('draft', null, null, ordinal);
  const improve = (parent: number, ordinal = 0) => nodeItem('improve', nodeId(parent), null, ordinal);
  const debug = (parent: number) => nodeItem('debug', nodeId(parent), null, 0);
  const fromBase = policyInput({
    journal: tree(deep, { base }),
    search: { maxDebugDepth: 1 },
    stage: stageDefinition('creative_research'),
  });

  test.each<[string, PolicyInput, number, NodeItem[], string]>([
    ['more than is wanted', policyInput(), 1, [draft(0), draft(1)], '2 items, 1 wanted'],
    ['more than there is room for', policyInput({ dispatched: 5 }), 3, [draft(0), draft(1)], '2 items, room for 1'],
    ['an item twice', policyInput(), 3, [draft(0), draft(0)], 'an item twice: draft#0, draft#0'],
    ['an item in flight', policyInput({ inFlight: [draft(0)] }), 3, [draft(0)], 'draft#0 is in flight'],
    ['too many roots', policyInput({ search: { numDrafts: 1 } }), 3, [draft(0), draft(1)], '2 roots, 1 wanted'],
    ['a root where there is a base', fromBase, 3, [draft(0)], 'draft#0 begins again though the stage starts from a node'],
    ['a parent that there is not', fromBase, 3, [improve(9)], 'improve:n9#0 starts from a node that there is not'],
    ['building on what failed', fromBase, 3, [improve(3)], 'improve:n3#0 builds on what does not work'],
    [
      'work from before',
      fromBase,
      3,
      [{ ...debug(1), ordinal: 0, operator: 'improve', id: improve(1).id }],
      'improve:n1#0 was given out before',
    ],
    ['repair of what works', fromBase, 3, [debug(1)], 'debug:n1#0 repairs what is no buggy leaf'],
    ['repair of what was repaired', fromBase, 3, [debug(2)], 'debug:n2#0 repairs what is no buggy leaf'],
    ['repair without end', fromBase, 3, [debug(3)], 'debug:n3#0 is too deep'],
    ['work that is exhausted', policyInput({ exhausted: ['draft::'] }), 3, [draft(0)], 'draft#0 is exhausted'],
    ['a wrong id', policyInput(), 3, [{ ...draft(0), id: draft(1).id }], 'draft#1 should be called draft#0'],
  ])('%s', (_, input, want, backlog, problem) => {
    expect(backlogProblems(input, want, backlog)).toContain(
      problem === 'draft:: is exhausted' ? 'draft#0 is exhausted' : problem,
    );
  });

  test('nothing wrong with a good backlog', () => {
    expect(backlogProblems(policyInput(), 3, [draft(0), draft(1), draft(2)])).toEqual([]);
    expect(backlogProblems({ ...fromBase, tried: emptyTally() }, 3, [improve(1)])).toEqual([]);
  });
});
