import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../../src/adapters/task-file.ts';
import { nodeId } from '../../../../src/domain/ids.ts';
import { nodeItem, type Operator } from '../../../../src/domain/item.ts';
import { activeKeys } from '../../../../src/domain/task.ts';
import { editProblem, strayKeys } from '../../../../src/proposers/check-edit.ts';
import type { ProposalContext } from '../../../../src/proposers/proposer.ts';
import { createSearchSpaceProposer } from '../../../../src/proposers/search-space/search-space.ts';
import { identity, openKeys } from '../../../../src/proposers/search-space/space.ts';
import { taskFolder } from '../../../support/experiment-programs.ts';
import { anyPast, contextFor, contextFrom, play, pointOf } from '../../../support/proposals.ts';

/** What holds for every operator, whatever happened before. */

const tasks = await Promise.all(['digits', 'probe'].map((name) => loadTask(taskFolder(name))));
const proposer = createSearchSpaceProposer();
const OPERATORS: readonly Operator[] = ['draft', 'debug', 'improve', 'tune', 'ablate'];

/** A context of any operator on any node of any past, with any section of keys. */
const anyContext: fc.Arbitrary<ProposalContext> = fc.constantFrom(...tasks).chain((task) =>
  fc
    .record({
      past: anyPast(task, 12),
      operator: fc.constantFrom(...OPERATORS),
      ordinal: fc.nat(9),
      seed: fc.nat(1000),
      pick: fc.nat(11),
      target: fc.option(fc.constantFrom(...Object.keys(task.components))),
      allowed: fc.option(fc.subarray(Object.keys(task.components))),
      ablating: fc.boolean(),
    })
    .map(({ past, operator, ordinal, seed, pick, target, allowed, ablating }) => {
      const parent = operator === 'draft' ? undefined : past[pick % Math.max(1, past.length)];
      const isTargeted = operator === 'tune' || operator === 'ablate';
      const item = nodeItem(operator, parent?.id ?? null, isTargeted ? target : null, ordinal);
      const context = parent === undefined ? contextFor(task, item, { past }) : contextFrom(task, item, parent, past);
      return { ...context, seed, allowedKeys: allowed, stage: ablating ? 'ablation_studies' : 'baseline_tuning' } as const;
    }),
);

describe('P1', () => {
  test('a proposal stays inside the space and the section, and touches only keys that count', async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, async (context) => {
        const proposal = await proposer.propose(context);
        expect(proposal.status).not.toBe('malformed');
        if (proposal.status !== 'proposed') return;
        const { task, base, allowedKeys } = context;
        expect(strayKeys(proposal.edit, base, allowedKeys)).toEqual([]);
        expect(editProblem(proposal.edit, { task, base, mayBeEmpty: context.item.operator === 'draft' })).toBeNull();
        expect(activeKeys(task, pointOf(context, proposal))).toEqual(
          expect.arrayContaining(Object.keys(proposal.edit.parameters)),
        );
        expect([proposal.label.length > 0, proposal.plan.endsWith('.')]).toEqual([true, true]);
      }),
    );
  });

  test('tune and ablate change their target and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(anyContext, async (context) => {
        const { operator, target } = context.item;
        const proposal = await proposer.propose(context);
        if (proposal.status !== 'proposed' || target === null || (operator !== 'tune' && operator !== 'ablate')) return;
        expect([Object.keys(proposal.edit.parameters), proposal.label]).toEqual([[target], target]);
      }),
    );
  });
});

test('equal contexts give equal proposals, and another seed may give others', async () => {
  await fc.assert(
    fc.asyncProperty(anyContext, async (context) => {
      expect(await proposer.propose(structuredCloneOf(context))).toEqual(await proposer.propose(context));
    }),
  );
});

test('P2: items of equal work that are under way together never get equal proposals', async () => {
  await fc.assert(
    fc.asyncProperty(anyContext, fc.integer({ min: 2, max: 5 }), async (context, count) => {
      const { operator, parent, target } = context.item;
      if (operator === 'ablate') return;
      const points: string[] = [];
      for (let pending = 0; pending < count; pending++) {
        const together = { ...context, pending, node: nodeId(1000 + pending), item: nodeItem(operator, parent, target, pending) };
        const proposal = await proposer.propose(together);
        if (proposal.status === 'proposed') points.push(identity(context.task, pointOf(together, proposal)));
      }
      expect(new Set(points).size).toBe(points.length);
    }),
  );
});

describe('P3', () => {
  test.each(['tune', 'debug', 'improve'] as const)('%s ends, without proposing a point twice', async (operator) => {
    const task = tasks[1];
    if (task === undefined) throw new TypeError('no task');
    const start = contextFor(task, nodeItem(operator, nodeId(1), null, 0), { allowedKeys: ['z', 'sharp', 'y'] });
    const { past, end } = await play(proposer, start, { steps: 400, measure: (values) => Number(values['y']) });
    expect(end).not.toBe('');
    const points = past.map((node) => identity(task, node.parameters));
    expect(new Set(points).size).toBe(points.length);
    expect(points.length).toBeLessThanOrEqual(3 * 2 * 21);
  });

  test('a frozen task has nothing to tune, improve or repair', async () => {
    for (const task of tasks) {
      const frozen = { ...task, frozen: Object.keys(task.components) };
      expect(openKeys(contextFor(frozen, nodeItem('tune', null, null, 0)), {})).toEqual([]);
      for (const operator of ['tune', 'improve', 'debug', 'ablate', 'merge'] as const) {
        expect((await proposer.propose(contextFor(frozen, nodeItem(operator, nodeId(1), null, 0)))).status, operator).toBe(
          'exhausted',
        );
      }
    }
  });
});

function structuredCloneOf(context: ProposalContext): ProposalContext {
  const { signal, ...data } = context;
  return { ...structuredClone(data), signal };
}
