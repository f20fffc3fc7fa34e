import { describe, expect, test } from 'vitest';
import {
  EvaluateInput,
  evaluationActivityId,
  EvaluationProgress,
  EvaluationRecord,
  EvaluationResult,
  ResultLine,
  TIMING_FIELDS,
} from '../../../src/domain/evaluation.ts';
import { nodeId } from '../../../src/domain/ids.ts';
import { evaluation } from '../../support/tree.ts';

const input = {
  runId: 'digits-1',
  stage: 'baseline_tuning',
  node: 'n7',
  experiment: 'a'.repeat(32),
  kind: 'measure',
  dataset: 'digits',
  seed: 0,
  dispatch: 1,
};

describe('what an evaluation is told', () => {
  test('has a seed that Python, numpy and the program can take', () => {
    expect(EvaluateInput.safeParse({ ...input, seed: 2 ** 31 - 1 }).success).toBe(true);
    for (const seed of [-1, 2 ** 31, 0.5]) expect(EvaluateInput.safeParse({ ...input, seed }).success).toBe(false);
  });

  test('counts dispatches from 1', () => {
    expect(EvaluateInput.safeParse({ ...input, dispatch: 0 }).success).toBe(false);
  });

  test('names its activity so that a person can read it', () => {
    const at = { node: nodeId(7), kind: 'measure', dataset: 'digits', seed: 3, dispatch: 2 } as const;
    expect(evaluationActivityId(at)).toBe('n7/digits/s3/d2');
    expect(evaluationActivityId({ ...at, kind: 'plot' })).toBe('n7/plot/s3/d2');
  });
});

describe('a result', () => {
  test('is at most 4 KiB', () => {
    const { result } = evaluation('a', 'exception');
    const longest = EvaluationResult.parse({ ...result, message: 'x'.repeat(600), device: 'g'.repeat(80) });
    expect(JSON.stringify(longest).length).toBeLessThan(4096);
    expect(EvaluationResult.safeParse({ ...result, message: 'x'.repeat(601) }).success).toBe(false);
  });

  test('has a finite value or none when it is finished, and a reason when it failed', () => {
    const { result } = evaluation('a', 0.5);
    expect(EvaluationResult.safeParse({ ...result, value: null }).success).toBe(true);
    expect(EvaluationResult.safeParse({ ...result, value: Number.NaN }).success).toBe(false);
    expect(EvaluationResult.safeParse({ ...result, status: 'failed' }).success).toBe(false);
  });

  test('names its attempt by dispatch and try', () => {
    const { result } = evaluation('a', 0.5);
    expect(EvaluationResult.safeParse({ ...result, attempt: '3.12' }).success).toBe(true);
    for (const attempt of ['1', '1.', 'a.b', '1.1.1'])
      expect(EvaluationResult.safeParse({ ...result, attempt }).success).toBe(false);
  });

  test('has each of the fields that may differ between a disturbed and an undisturbed run', () => {
    for (const record of [evaluation('a', 0.5), evaluation('a', 'timeout')])
      expect(Object.keys(record.result)).toEqual(expect.arrayContaining([...TIMING_FIELDS]));
  });

  test('reads back as it was written', () => {
    for (const record of [evaluation('a', 0.5), evaluation('b', 'timeout')])
      expect(EvaluationRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });
});

describe('what a program reports', () => {
  test('is progress with a step and final without one; more keys do no harm', () => {
    const line = { metric: 'accuracy', value: 0.9, dataset: 'digits' };
    expect(ResultLine.parse(line)).not.toHaveProperty('step');
    expect(ResultLine.parse({ ...line, step: 3, note: 'x' })).toEqual({ ...line, step: 3 });
    expect(ResultLine.safeParse({ ...line, value: '0.9' }).success).toBe(false);
    expect(ResultLine.safeParse({ ...line, step: -1 }).success).toBe(false);
    expect(ResultLine.safeParse({ value: 1 }).success).toBe(false);
  });

  test('is shown with a heartbeat as soon as there is a value', () => {
    expect(EvaluationProgress.safeParse({ attempt: '1.1', elapsedMs: 5, latest: null }).success).toBe(true);
    expect(EvaluationProgress.safeParse({ attempt: '1.1', elapsedMs: 5, latest: { value: 1, step: null } }).success).toBe(true);
  });
});
