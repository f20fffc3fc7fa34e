import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  DeviceName,
  ItemId,
  NodeId,
  nodeId,
  Ref,
  rerunId,
  rerunOf,
  RunId,
  STAGE_NAMES,
  stageWorkflowId,
} from '../../../src/domain/ids.ts';

const accepts = (schema: z.ZodType, values: readonly string[]) => values.filter((value) => schema.safeParse(value).success);

describe('ids', () => {
  test('a run id is safe as the name of a folder', () => {
    const good = ['a', '0', 'digits-20261129-1', 'a.b_c-d', 'a'.repeat(63)];
    const bad = ['', '.', '..', '-a', '_a', 'A', 'a/b', 'a b', 'a\n', 'ä', 'a'.repeat(64)];
    expect(accepts(RunId, [...good, ...bad])).toEqual(good);
  });

  test('a run id that does not fit is answered with what would', () => {
    expect(RunId.safeParse('My Run').error?.issues[0]?.message).toContain('a-z, 0-9, dot, dash and underscore');
  });

  test('a rerun is named after its run, is no longer than it may be, and leads back to it', () => {
    const run = RunId.parse('a'.repeat(63));
    expect(rerunOf(rerunId(run, 12))).toEqual({ run, number: 12 });
    expect(['digits-1', 'x.rerun-', 'x.rerun-0', 'x.rerun-1a', '.rerun-1'].map(rerunOf)).toEqual([null, null, null, null, null]);
  });

  test('node ids count from n1', () => {
    expect([nodeId(1), nodeId(17), nodeId(9_999_999)]).toEqual(['n1', 'n17', 'n9999999']);
    expect(accepts(NodeId, ['n1', 'n0', 'n01', 'n-1', 'n1.5', '1', 'n', 'n12345678', 'n1/..'])).toEqual(['n1']);
  });

  test.each([0, -1, 1.5, 10_000_000, Number.NaN, Number.POSITIVE_INFINITY])('there is no node number %s', (number) => {
    expect(() => nodeId(number)).toThrow(z.ZodError);
  });

  test('a ref is 32 lower-case hexadecimal digits', () => {
    const ref = '0123456789abcdef0123456789abcdef';
    expect(accepts(Ref, [ref, ref.slice(1), `${ref}0`, ref.toUpperCase(), `../${ref.slice(3)}`])).toEqual([ref]);
  });

  test('a device name may hold a vendor number and never a path', () => {
    expect(accepts(DeviceName, ['cpu0', 'gpu-1a2b3c4d', 'gpu-0+1', 'a/b', '..', 'GPU0', ''])).toEqual([
      'cpu0',
      'gpu-1a2b3c4d',
      'gpu-0+1',
    ]);
  });

  test('an item id has 1 to 300 characters', () => {
    expect(accepts(ItemId, ['', 'draft#0', 'x'.repeat(300), 'x'.repeat(301)]).map((id) => id.length)).toEqual([7, 300]);
  });

  test('a stage’s workflow is named after its run and stage', () => {
    expect(STAGE_NAMES.map((stage) => stageWorkflowId('digits-1', stage))).toEqual([
      'digits-1/initial_implementation',
      'digits-1/baseline_tuning',
      'digits-1/creative_research',
      'digits-1/ablation_studies',
    ]);
  });
});
