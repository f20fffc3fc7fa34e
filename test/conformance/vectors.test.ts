import { describe, expect, test } from 'vitest';
import { groupOf, isSame, type VectorCase } from '../vectors/format.ts';
import { GROUPS, NOT_CLAIMED } from '../vectors/groups.ts';
import { readVectors, verdictOf, whyNotClaimed } from '../vectors/run.ts';

const vectors = readVectors(new URL('../vectors/strategy-vectors.json', import.meta.url));

function vectorNamed(name: string): VectorCase {
  const vector = vectors.find((candidate) => candidate.case === name);
  if (vector === undefined) throw new TypeError(`there is no vector ${name}`);
  return vector;
}

describe('the reference vectors', () => {
  test.each(Object.keys(GROUPS))('of %s are met, every one', (group) => {
    const cases = vectors.filter((vector) => groupOf(vector) === group && whyNotClaimed(vector) === null);
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.filter((vector) => verdictOf(vector).verdict !== 'passed').map((vector) => vector.case)).toEqual([]);
  });

  test.each(Object.keys(NOT_CLAIMED))('%s, which is not claimed, is skipped', (name) => {
    const vector = vectorNamed(name);
    expect(Object.keys(GROUPS)).toContain(groupOf(vector));
    expect(verdictOf(vector).verdict).toBe('skipped');
  });

  test.each([
    ['the last end of a rollout', '"end":"solved"', '"end":"no-change"'],
    ['the version of a merge', '"committed_version":4', '"committed_version":5'],
    ['why the run ended', '"stop_reason":"rounds"', '"stop_reason":"max_rollouts"'],
  ])('of a whole run are met in all that they say: %s', (_what, said, changed) => {
    const vector = vectorNamed('engine/example-TP-concurrency1');
    const text = JSON.stringify(vector.output);
    const at = text.lastIndexOf(said);
    expect(at).toBeGreaterThan(0);
    const output: unknown = JSON.parse(`${text.slice(0, at)}${changed}${text.slice(at + said.length)}`);
    expect(verdictOf(vector).verdict).toBe('passed');
    expect(verdictOf({ ...vector, output }).verdict).toBe('failed');
  });

  test('that are changed are not met', () => {
    const vector = vectorNamed('shard_round_robin/i5-n4');
    expect(verdictOf({ ...vector, output: [['t0'], ['t1'], ['t2'], ['t3']] }).verdict).toBe('failed');
    expect(verdictOf({ ...vector, case: 'of another group/x' }).verdict).toBe('skipped');
  });

  test.each([
    [1, 1 + 1e-13, true],
    [1, 1 + 1e-9, false],
    [Number.POSITIVE_INFINITY, 'Infinity', true],
    [Number.NaN, 'NaN', true],
    [1, '1', false],
    [[1, 2], [1], false],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: null }, { a: null }, true],
  ])('compare %j with %j: %s', (actual, expected, same) => {
    expect(isSame(actual, expected)).toBe(same);
  });
});
