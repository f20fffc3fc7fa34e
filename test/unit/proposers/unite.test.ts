import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadTask } from '../../../src/adapters/task-file.ts';
import { canonicalText, type Experiment } from '../../../src/domain/experiment.ts';
import { nodeId, Ref } from '../../../src/domain/ids.ts';
import { activeKeys } from '../../../src/domain/task.ts';
import { changedKeys, editedExperiment, editProblem } from '../../../src/proposers/check-edit.ts';
import { unite, type Part } from '../../../src/proposers/unite.ts';
import { taskFolder } from '../../support/experiment-programs.ts';
import { anyPoint, past, type Values } from '../../support/proposals.ts';

const task = await loadTask(taskFolder('probe'));
const [OLD, NEW, NEWER] = ['1', '2', '3'].map((digit) => Ref.parse(digit.repeat(32)));
const at = (values: Values, file = OLD): Experiment => ({
  v: 1,
  parameters: past(task, 1, values).parameters,
  files: file === undefined ? {} : { 'probe.py': file },
});
const base = at({});
const part = (number: number, values: Values, file = OLD): Part => ({ id: nodeId(number), experiment: at(values, file) });

describe('a merge', () => {
  test('is what each of the nodes changes in the base, with a label and a plan that name them', () => {
    const parts = [part(4, { z: 'high' }), part(7, { y: 5, x: 0.5 }), part(12, {}, NEW)];
    expect(unite(task, base, parts)).toEqual({
      status: 'proposed',
      edit: { parameters: { z: 'high', y: 5, x: 0.5 }, files: { 'probe.py': NEW } },
      label: 'merge of n4, n7 and n12',
      plan: 'Unite what n4 (z), n7 (x, y) and n12 (probe.py) changed, to see whether it adds up.',
    });
  });

  test('takes a change that two of the nodes share once', () => {
    const parts = [part(4, { z: 'high', y: 5 }), part(7, { y: 5, x: 0.5 })];
    expect(unite(task, base, parts)).toMatchObject({ edit: { parameters: { z: 'high', y: 5, x: 0.5 } } });
  });

  test('knows only changes against the base, whatever the node before the one to unite was', () => {
    const from = at({ y: 9 });
    const parts = [part(4, { y: 9, z: 'high' }), part(7, { y: 9, x: 0.5 })];
    expect(unite(task, from, parts)).toMatchObject({ status: 'proposed', edit: { parameters: { z: 'high', x: 0.5 } } });
  });

  test('does not see a conflict in a key that does not count in one of the nodes', () => {
    const wave = at({ family: 'wave', rate: 0.5 });
    const parts = [part(4, { family: 'ridge' }), part(7, { family: 'wave', rate: 0.7, x: 0.5 })];
    const answer = unite(task, wave, parts);
    if (answer.status !== 'proposed') throw new TypeError(answer.message);
    expect(editedExperiment(task, wave, answer.edit)).toEqual(at({ family: 'ridge', x: 0.5 }));
  });
});

describe('a conflict', () => {
  test('names each key, the nodes and the values', () => {
    const parts = [part(4, { y: 5, z: 'high' }), part(7, { y: 7, z: 'middle' }), part(9, { y: 5 })];
    expect(unite(task, base, parts)).toEqual({
      status: 'conflict',
      message: 'y is 5 in n4 and 7 in n7; z is high in n4 and middle in n7; y is 7 in n7 and 5 in n9',
    });
  });

  test('of a program is said without its address', () => {
    expect(unite(task, base, [part(4, {}, NEW), part(7, {}, NEWER)])).toEqual({
      status: 'conflict',
      message: 'probe.py differs between n4 and n7',
    });
  });
});

describe('there is nothing to unite', () => {
  const wave = (number: number, values: Values): Part => part(number, { family: 'wave', ...values });

  test.each([
    ['one of the nodes holds all of it', [wave(4, { z: 'high', y: 5 }), wave(7, { y: 5 })], 'n4 and n7 is n4'],
    ['both are the same', [wave(4, { y: 5 }), wave(7, { y: 5 })], 'n4 and n7 is n4'],
    ['it is one node', [wave(4, { y: 5 })], 'n4 is n4'],
    ['nothing is changed', [wave(4, {}), wave(7, {})], 'n4 and n7 is their base'],
    ['a change does not count with the other', [wave(4, { family: 'ridge' }), wave(7, { rate: 0.5 })], 'n4 and n7 is n4'],
  ])('where %s', (_, parts, message) => {
    const answer = unite(task, at({ family: 'wave' }), parts);
    expect(answer).toEqual({ status: 'exhausted', message: `nothing to unite: the union of ${message}` });
  });
});

/** A start, and nodes that each take some of the values of one other point. */
const agreeing = fc.record({ from: anyPoint(task), to: anyPoint(task) }).chain(({ from, to }) =>
  fc.array(fc.subarray(Object.keys(to)), { minLength: 2, maxLength: 3 }).map((choices) => ({
    start: at(from),
    parts: choices.map((keys, index) => {
      const taken = Object.entries(to).filter(([key]) => keys.includes(key));
      return part(index + 2, { ...from, ...Object.fromEntries(taken) });
    }),
  })),
);

test('what is united is usable, new, has each change that counts, and does not depend on the order', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(agreeing, ({ start, parts }) => {
      const [answer, back] = [unite(task, start, parts), unite(task, start, [...parts].reverse())];
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      expect(back.status).toBe(answer.status);
      if (answer.status !== 'proposed' || back.status !== 'proposed') return;
      const [after, again] = [answer, back].map(({ edit }) => editedExperiment(task, start, edit));
      if (after === undefined || again === undefined) return;
      expect(canonicalText(again)).toBe(canonicalText(after));
      expect(editProblem(answer.edit, { task, base: start, mayBeEmpty: false })).toBeNull();
      expect([start, ...parts.map(({ experiment }) => experiment)].map(canonicalText)).not.toContain(canonicalText(after));
      const active = activeKeys(task, after.parameters);
      for (const { experiment } of parts)
        for (const key of changedKeys(task, start, experiment).filter((changed) => active.includes(changed)))
          expect(after.parameters[key]).toBe(experiment.parameters[key]);
    }),
    { numRuns: 200, seed: 1 },
  );
  expect(seen.get('proposed')).toBeGreaterThan(20);
});
