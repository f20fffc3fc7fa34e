import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdit, canonicalText, Edit, Experiment } from '../../src/domain/experiment.ts';
import { clip } from '../../src/domain/failure.ts';
import type { NodeId } from '../../src/domain/ids.ts';
import {
  allNodes,
  bestNode,
  branchesOf,
  buggyLeaves,
  findNode,
  rankedNodes,
  type StageJournal,
} from '../../src/domain/journal.ts';
import { isBetter } from '../../src/domain/metric.ts';
import { metricOf } from '../../src/domain/node.ts';
import { componentKey, experiment, journal, parameterValue } from '../support/arbitrary.ts';

/** The branch of a node by its definition, step by step. */
function branchByDefinition(tree: StageJournal, id: NodeId): NodeId {
  const parent = findNode(tree, id)?.parent ?? null;
  if (id === tree.base?.id || parent === null || parent === tree.base?.id || findNode(tree, parent) === undefined) return id;
  return branchByDefinition(tree, parent);
}

describe('a journal', () => {
  test('is ranked without losing, adding or changing a good node, and ties keep their order', () => {
    fc.assert(
      fc.property(journal, fc.constantFrom('maximize', 'minimize'), (tree, direction) => {
        const before = structuredClone(tree);
        const ranked = rankedNodes(tree, direction);
        const order = allNodes(tree).map(({ id }) => id);
        expect(new Set(ranked)).toEqual(new Set(allNodes(tree).filter(({ status }) => status === 'good')));
        for (const [index, node] of ranked.entries()) {
          const next = ranked[index + 1];
          if (next === undefined) continue;
          expect(isBetter(direction, next.metric, node.metric)).toBe(false);
          if (next.metric === node.metric) expect(order.indexOf(node.id)).toBeLessThan(order.indexOf(next.id));
        }
        expect(bestNode(tree, direction)).toBe(ranked[0]);
        expect(tree).toEqual(before);
      }),
    );
  });

  test('has branches that are what their definition says', () => {
    fc.assert(
      fc.property(journal, (tree) => {
        const branches = branchesOf(tree);
        expect([...branches.keys()]).toEqual(allNodes(tree).map(({ id }) => id));
        for (const [id, branch] of branches) expect(branch).toBe(branchByDefinition(tree, id));
      }),
    );
  });

  test('has only buggy nodes without children as what debug works on', () => {
    fc.assert(
      fc.property(journal, (tree) => {
        const leaves = new Set(buggyLeaves(tree).map(({ id }) => id));
        for (const node of allNodes(tree)) {
          const hasChild = allNodes(tree).some(({ parent }) => parent === node.id);
          expect(leaves.has(node.id)).toBe(metricOf(node) === null && !hasChild);
        }
      }),
    );
  });
});

describe('an experiment', () => {
  const edit = fc
    .record({
      parameters: fc.dictionary(componentKey, fc.option(parameterValue), { maxKeys: 5 }),
      files: fc.dictionary(componentKey, fc.option(fc.stringMatching(/^[0-9a-f]{32}$/)), { maxKeys: 3 }),
    })
    .map((content) => Edit.parse(content));

  test('after an edit has exactly what the edit sets, and the rest as it was', () => {
    fc.assert(
      fc.property(experiment, edit, (before, change) => {
        const { parameters } = applyEdit(before, change);
        for (const key of new Set([...Object.keys(before.parameters), ...Object.keys(change.parameters)])) {
          const source = Object.hasOwn(change.parameters, key) ? change.parameters[key] : before.parameters[key];
          expect(Object.hasOwn(parameters, key) ? parameters[key] : null).toEqual(source);
        }
        expect(Experiment.safeParse(applyEdit(before, change)).success).toBe(true);
      }),
    );
  });

  test('is the same after the same edit twice', () => {
    fc.assert(
      fc.property(experiment, edit, (before, change) => {
        const once = applyEdit(before, change);
        expect(applyEdit(once, change)).toEqual(once);
      }),
    );
  });

  test('has one text in whatever order its keys came, and reads back from it', () => {
    fc.assert(
      fc.property(experiment, (content) => {
        const turned = {
          ...content,
          parameters: Object.fromEntries(Object.entries(content.parameters).toReversed()),
          files: Object.fromEntries(Object.entries(content.files).toReversed()),
        };
        expect(canonicalText(turned)).toBe(canonicalText(content));
        expect(Experiment.parse(JSON.parse(canonicalText(content)))).toEqual(content);
      }),
    );
  });

  test('has a text of its own', () => {
    fc.assert(
      fc.property(experiment, experiment, (one, other) => {
        const isEqual =
          JSON.stringify(Object.entries(one.parameters).sort()) === JSON.stringify(Object.entries(other.parameters).sort());
        fc.pre(!isEqual);
        expect(canonicalText(one)).not.toBe(canonicalText(other));
      }),
    );
  });
});

describe('a clipped text', () => {
  test('is never longer than allowed, is valid text, and keeps head and tail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(60), (text, max) => {
        const clipped = clip(text, max);
        expect(clipped.length).toBeLessThanOrEqual(max);
        if (text.length <= max) expect(clipped).toBe(text);
        else expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });
});
