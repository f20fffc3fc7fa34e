import { describe, expect, test } from 'vitest';
import {
  assertNever,
  clip,
  DropReason,
  FailureReason,
  oneLine,
  PlatformFailure,
  PlatformFailureType,
  REASON_TEXT,
} from '../../../src/domain/failure.ts';

describe('the catalogue of failures', () => {
  test('is this closed list: workflows and reports of older runs depend on it', () => {
    expect(FailureReason.options).toEqual([
      'exception',
      'exit_code',
      'signal',
      'out_of_memory',
      'timeout',
      'disk_quota',
      'output_too_large',
      'no_result',
      'bad_result',
      'proposal_malformed',
      'review_bug',
      'poison',
      'cancelled',
      'pruned',
      'infrastructure',
    ]);
    expect(DropReason.options).toEqual(['section_violation', 'duplicate', 'stale', 'conflict', 'exhausted', 'section_exhausted']);
  });

  test('says every reason in words', () => {
    expect(Object.keys(REASON_TEXT).sort()).toEqual([...FailureReason.options].sort());
    expect(new Set(Object.values(REASON_TEXT)).size).toBe(FailureReason.options.length);
  });

  test('tries again only what another try can change', () => {
    const retryable = PlatformFailureType.options.filter((type) => new PlatformFailure(type, 'it broke', 'mend it').retryable);
    expect(retryable).toEqual(['ProposerUnavailable', 'DiskFull', 'HostFailed']);
  });

  test('carries what happened, what to do and why', () => {
    const cause = new Error('ENOSPC');
    const failure = new PlatformFailure('HostFailed', 'the disk is full', 'free some space', { cause });
    expect(failure).toMatchObject({
      name: 'PlatformFailure',
      type: 'HostFailed',
      message: 'the disk is full',
      fix: 'free some space',
      cause,
    });
    expect(failure).toBeInstanceOf(Error);
  });

  test('is complete where a switch is', () => {
    // @ts-expect-error only `never` gets here in code that compiles
    expect(() => assertNever({ kind: 'new' })).toThrow('unexpected value {"kind":"new"}');
  });
});

describe('a clipped text', () => {
  test('is the text itself when it is short enough', () => {
    expect(clip('', 10)).toBe('');
    expect(clip('0123456789', 10)).toBe('0123456789');
  });

  test('keeps head and tail', () => {
    expect(clip(`${'a'.repeat(50)}${'z'.repeat(50)}`, 15)).toBe('aaaaa ... zzzzz');
  });

  test.each([0, 1, 4, 5, 6, 7, 8, 9, 300, 600])('has at most %s characters', (max) => {
    expect(clip('x'.repeat(1000), max).length).toBeLessThanOrEqual(max);
    expect(clip('x'.repeat(1000), max).length).toBeGreaterThanOrEqual(max - 1);
  });

  test('never halves a character into what is no valid text', () => {
    for (let max = 1; max < 40; max++) expect(clip('😀'.repeat(50), max).isWellFormed()).toBe(true);
  });
});

test('a text on one line shows what would have broken the line or steered the terminal, and leaves the rest', () => {
  expect(oneLine('a\nb\r\tc\u001b[31m\u2028\u0085')).toBe('a\\u000ab\\u000d\\u0009c\\u001b[31m\\u2028\\u0085');
  expect(oneLine('größer – 数 "x" \\n')).toBe('größer – 数 "x" \\n');
});
