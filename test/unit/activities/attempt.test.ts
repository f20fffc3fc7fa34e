import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asActivity, toActivityFailure } from '../../../src/activities/attempt.ts';
import { PlatformFailure, PlatformFailureType } from '../../../src/domain/failure.ts';
import { matching } from '../../support/matchers.ts';

describe('toActivityFailure', () => {
  test.each(PlatformFailureType.options)('keeps the type %s, its message and what to do', (type) => {
    const failure = new PlatformFailure(type, 'Something happened.', 'Do this.');
    expect(toActivityFailure(failure)).toMatchObject({
      type,
      message: 'Something happened. Do this.',
      nonRetryable: !failure.retryable,
      cause: failure,
    });
  });

  test.each([ApplicationFailure.create({ type: 'NoDevice' }), new CancelledFailure('CANCELLED')])(
    'leaves %s as it is',
    (failure) => {
      expect(toActivityFailure(failure)).toBe(failure);
    },
  );

  test('makes what the machine refuses a failure that is tried again, with words', () => {
    expect(toActivityFailure(refusal())).toMatchObject({
      type: 'DiskFull',
      nonRetryable: false,
      message: matching(/disk is full/),
    });
  });

  test('leaves any other error to be tried again', () => {
    const error = new TypeError('a defect');
    expect(toActivityFailure(error)).toBe(error);
  });

  test('keeps messages short', () => {
    const failure = toActivityFailure(new PlatformFailure('ConfigInvalid', 'x'.repeat(100_000), ''));
    expect(failure instanceof ApplicationFailure && failure.message.length).toBeLessThanOrEqual(2000);
  });
});

describe('asActivity', () => {
  const double = asActivity(z.strictObject({ number: z.number() }), ({ number }) => Promise.resolve(number * 2));

  test('runs with the parsed input', async () => {
    expect(await double({ number: 21 })).toBe(42);
  });

  test('refuses input that does not fit before anything runs', async () => {
    const wrong: unknown = { number: '21', other: 1 };
    await expect(double(wrong as { number: number })).rejects.toMatchObject({
      type: 'InvariantBroken',
      nonRetryable: true,
      message: matching(/number/),
    });
  });
});

/** What the system says when a disk is full; /dev/full always is. */
function refusal(): unknown {
  try {
    writeFileSync('/dev/full', 'x');
  } catch (error) {
    return error;
  }
  return undefined;
}
