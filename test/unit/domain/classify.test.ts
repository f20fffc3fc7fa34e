import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExitRecord } from '../../../src/domain/attempt.ts';
import { StopReason } from '../../../src/domain/attempt.ts';
import { classify, type Evidence } from '../../../src/domain/classify.ts';
import { readReported } from '../../../src/domain/results.ts';
import { containing } from '../../support/matchers.ts';

const FINAL = '{"metric": "score", "dataset": "a", "value": 0.5}';
const TRACEBACK = 'Traceback (most recent call last):\n  File "x.py"\nValueError: bad depth\n';

interface Case {
  readonly exit?: Partial<ExitRecord>;
  readonly results?: string;
  readonly output?: string;
  readonly kind?: Evidence['kind'];
  readonly figures?: number;
}

function evidence(given: Case): Evidence {
  return {
    kind: given.kind ?? 'measure',
    metric: { name: 'score', direction: 'maximize', aggregation: 'mean' },
    dataset: 'a',
    exit: {
      v: 1,
      reason: null,
      exit_code: 0,
      signal: null,
      duration_ms: 1234,
      peak_memory_kib: 2048,
      cpu_ms: 5,
      output_truncated: false,
      stragglers: 0,
      ended_by: 'shim',
      ...given.exit,
    },
    reported: readReported(given.results ?? FINAL),
    outputTail: given.output ?? '',
    figures: given.figures ?? 0,
  };
}

const died = (signal: string): Partial<ExitRecord> => ({ exit_code: null, signal });

describe('what an attempt was', () => {
  const table: [string, Case, object][] = [
    ['one final value', {}, { status: 'finished', value: 0.5 }],
    ['progress does not matter', { results: `{"metric":"score","dataset":"a","value":0,"step":1}\n${FINAL}` }, { value: 0.5 }],
    [
      'progress of other metrics does not matter',
      { results: `{"metric":"loss","dataset":"a","value":NaN,"step":1}\n${FINAL}` },
      { value: 0.5 },
    ],
    ['a malformed line beside it does not matter', { results: `oops\n${FINAL}` }, { status: 'finished', value: 0.5 }],
    ['a traceback that was caught does not matter', { output: TRACEBACK }, { status: 'finished', value: 0.5 }],
    ['the value 0', { results: '{"metric":"score","dataset":"a","value":0}' }, { status: 'finished', value: 0 }],
    ['the right direction', { results: '{"metric":"score","dataset":"a","value":1,"direction":"maximize"}' }, { value: 1 }],
    ['nothing', { results: '' }, { reason: 'no_result', message: 'ended without a final value of score' }],
    ['only progress', { results: '{"metric":"score","dataset":"a","value":1,"step":1}' }, { reason: 'no_result' }],
    ['only malformed lines', { results: 'a\nb' }, { reason: 'no_result', message: containing('2 lines') }],
    ['nothing, with a traceback', { results: '', output: TRACEBACK }, { reason: 'exception', message: 'ValueError: bad depth' }],
    ['not a number', { results: FINAL.replace('0.5', 'NaN') }, { reason: 'bad_result', message: containing('NaN') }],
    ['infinite', { results: FINAL.replace('0.5', '-Infinity') }, { reason: 'bad_result' }],
    ['null', { results: FINAL.replace('0.5', 'null') }, { reason: 'bad_result' }],
    ['a text', { results: FINAL.replace('0.5', '"0.5"') }, { reason: 'bad_result' }],
    ['another metric', { results: FINAL.replace('score', 'loss') }, { reason: 'bad_result', message: containing('loss') }],
    ['another dataset', { results: FINAL.replace('"a"', '"b"') }, { reason: 'bad_result', message: containing('dataset b') }],
    [
      'a second metric beside the right one',
      { results: `${FINAL}\n${FINAL.replace('score', 'loss')}` },
      { reason: 'bad_result' },
    ],
    ['the same value twice', { results: `${FINAL}\n${FINAL}` }, { reason: 'bad_result', message: containing('2 final values') }],
    [
      'the wrong direction',
      { results: '{"metric":"score","dataset":"a","value":1,"direction":"minimize"}' },
      { reason: 'bad_result' },
    ],
    ['an exit code', { exit: { exit_code: 3 } }, { reason: 'exit_code', message: 'ended with exit code 3' }],
    [
      'an exit code and a last word',
      { exit: { exit_code: 3 }, output: 'no such data\n' },
      { message: containing('no such data') },
    ],
    ['an exception', { exit: { exit_code: 1 }, output: TRACEBACK }, { reason: 'exception', message: 'ValueError: bad depth' }],
    ['a signal', { exit: died('SIGSEGV') }, { reason: 'signal', message: 'ended by SIGSEGV' }],
    ['a figure', { kind: 'plot', results: '', figures: 1 }, { status: 'finished', value: null }],
    ['no figure', { kind: 'plot', results: '' }, { reason: 'no_result', message: containing('figure') }],
    [
      'a figure, and then an exception',
      { kind: 'plot', figures: 1, exit: { exit_code: 1 }, output: TRACEBACK },
      { reason: 'exception' },
    ],
    [
      'a time limit, whatever it reported',
      { exit: { reason: 'timeout', ...died('SIGKILL') } },
      { reason: 'timeout', message: containing('1.2 s') },
    ],
    ['a time limit on which it ended by itself', { exit: { reason: 'timeout' } }, { reason: 'timeout' }],
    [
      'a time limit after its final value',
      { exit: { reason: 'timeout', ...died('SIGTERM') } },
      {
        reason: 'timeout',
        message: 'ended after 1.2 s, the time limit; it had reported its final value 0.5, and has to end after that',
      },
    ],
    [
      'its own folder deleted',
      { exit: { reason: 'folder_deleted' } },
      { reason: 'no_result', message: containing('deleted the folder') },
    ],
    ['a time limit with a traceback', { exit: { reason: 'timeout', exit_code: 1 }, output: TRACEBACK }, { reason: 'timeout' }],
    [
      'memory',
      { exit: { reason: 'out_of_memory', ...died('SIGKILL') } },
      { reason: 'out_of_memory', message: containing('2 MiB') },
    ],
    ['memory that was not measured', { exit: { reason: 'out_of_memory', peak_memory_kib: null } }, { reason: 'out_of_memory' }],
    ['output', { exit: { reason: 'output_too_large' } }, { reason: 'output_too_large' }],
    ['disk', { exit: { reason: 'disk_quota', exit_code: 1 }, output: TRACEBACK }, { reason: 'disk_quota' }],
    ['a signal with a traceback', { exit: died('SIGKILL'), output: TRACEBACK }, { reason: 'signal' }],
  ];
  test.each(table)('%s', (_, given, expected) => {
    expect(classify(evidence(given))).toMatchObject(expected);
  });

  test.each(['cancelled', 'lost'] as const)('an attempt that was %s is none', (reason) => {
    expect(() => classify(evidence({ exit: { reason } }))).toThrow(RangeError);
  });

  test('a message is short, whatever the program printed', () => {
    const output = `Traceback (most recent call last):\n  File "x.py"\nValueError: ${'long '.repeat(5000)}`;
    const verdict = classify(evidence({ exit: { exit_code: 1 }, output }));
    expect(verdict.status === 'failed' && verdict.message.length).toBeLessThanOrEqual(600);
  });

  test('never throws otherwise, and is finished only with exit code 0 and no limit passed', () => {
    const exits = fc.record({
      reason: fc.constantFrom(null, ...StopReason.options.filter((reason) => reason !== 'cancelled' && reason !== 'lost')),
      exit_code: fc.option(fc.integer({ min: 0, max: 255 })),
      signal: fc.option(fc.constantFrom('SIGSEGV', 'SIGKILL')),
    });
    fc.assert(
      fc.property(exits, fc.string(), fc.string(), (exit, results, output) => {
        const verdict = classify(evidence({ exit, results: `${results}\n${FINAL}`, output }));
        if (verdict.status === 'finished') expect(exit).toEqual({ reason: null, exit_code: 0, signal: null });
      }),
    );
  });
});
