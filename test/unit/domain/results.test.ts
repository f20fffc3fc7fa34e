import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latestValue, LONGEST_LINE, MOST_MALFORMED, readReported } from '../../../src/domain/results.ts';

const line = (fields: object): string => JSON.stringify({ metric: 'score', dataset: 'a', value: 0.5, ...fields });

describe('readReported', () => {
  test('tells progress from final values by the step, in the order of the file', () => {
    const reported = readReported([line({ step: 0, value: 0.1 }), line({}), line({ step: 1, value: 0.2 })].join('\n'));
    expect(reported.progress.map(({ value }) => value)).toEqual([0.1, 0.2]);
    expect(reported.finals.map(({ value }) => value)).toEqual([0.5]);
    expect(reported.malformed).toBe(0);
  });

  test.each(['NaN', 'Infinity', '-Infinity', 'null', '"0.9"', 'true', '1e999', '[1]', '{}'])(
    'keeps a line with the value %s as a value that is none',
    (written) => {
      const { finals, malformed } = readReported(`{"metric": "score", "dataset": "a", "value": ${written}}`);
      expect(finals).toMatchObject([{ metric: 'score', value: null }]);
      expect(malformed).toBe(0);
    },
  );

  test('does not touch the word NaN inside a text', () => {
    const { finals } = readReported('{"metric": "NaN of \\"Infinity\\"", "dataset": "a", "value": NaN}');
    expect(finals[0]).toMatchObject({ metric: 'NaN of "Infinity"', value: null, written: 'NaN' });
  });

  test.each([
    ['a line cut off', '{"metric": "score", "dataset": "a", "va'],
    ['a value without a metric', '{"dataset": "a", "value": 1}'],
    ['a metric without a value', '{"metric": "score", "dataset": "a"}'],
    ['a step that is no whole number', line({ step: 0.5 })],
    ['a step below 0', line({ step: -1 })],
    ['something else', '42'],
    ['prose', 'accuracy was good'],
  ])('counts %s as malformed', (_, text) => {
    expect(readReported(text)).toEqual({ progress: [], finals: [], malformed: 1 });
  });

  test.each([
    [
      'a list in lists, far deeper than the stack',
      `{"metric": "score", "dataset": "a", "value": ${'['.repeat(1500)}${']'.repeat(1500)}}`,
    ],
    ['an object that cannot be made a text', '{"metric": "score", "dataset": "a", "value": {"toString": 1}}'],
  ])('keeps %s as a value that is none', (_, text) => {
    expect(readReported(text).finals).toMatchObject([{ value: null, written: expect.stringMatching(/^a list$|^an object$/) }]);
  });

  test('does not read a line that is longer than any of the contract', () => {
    const padded = line({ note: 'x'.repeat(LONGEST_LINE) });
    expect(readReported(`${padded}\n${line({})}`)).toMatchObject({ finals: [{ value: 0.5 }], malformed: 1 });
    expect(readReported(`{"metric": "${'\\"'.repeat(1_000_000)}`)).toMatchObject({ finals: [], malformed: 1 });
  });

  test('stops at a number of unreadable lines that no program of the contract writes', () => {
    const junk = 'junk\n'.repeat(MOST_MALFORMED);
    expect(readReported(`${junk.slice(5)}${line({})}`)).toMatchObject({
      finals: [{ value: 0.5 }],
      malformed: MOST_MALFORMED - 1,
    });
    expect(readReported(`${junk}${line({})}`)).toEqual({ progress: [], finals: [], malformed: MOST_MALFORMED });
  });

  test('ignores further keys and empty lines', () => {
    expect(readReported(`\n\n${line({ epoch: 3, note: 'x' })}\n  \n`)).toMatchObject({ finals: [{ value: 0.5 }], malformed: 0 });
  });

  test('never throws, whatever a program writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const { progress, finals, malformed } = readReported(text);
        expect(progress.length + finals.length + malformed).toBeLessThanOrEqual(text.split('\n').length);
      }),
    );
  });
});

describe('latestValue', () => {
  test('is the last finite value of the metric on the dataset', () => {
    const text = [
      line({ step: 0, value: 0.1 }),
      line({ step: 1, value: 0.2 }),
      '{"metric": "score", "dataset": "a", "value": NaN, "step": 2}',
      line({ step: 3, metric: 'loss', value: 9 }),
      line({ step: 4, dataset: 'b', value: 8 }),
    ].join('\n');
    expect(latestValue(readReported(text), 'score', 'a')).toEqual({ value: 0.2, step: 1 });
  });

  test('has no step once it is final, and is null before there is one', () => {
    expect(latestValue(readReported(`${line({ step: 0, value: 0.1 })}\n${line({})}`), 'score', 'a')).toEqual({
      value: 0.5,
      step: null,
    });
    expect(latestValue(readReported(''), 'score', 'a')).toBeNull();
  });
});
