import { describe, expect, test } from 'vitest';
import type { EvaluationResult } from '../../../src/domain/evaluation.ts';
import { EvaluationId, nodeId } from '../../../src/domain/ids.ts';
import type { JournalEvent } from '../../../src/domain/journal.ts';
import { compareResults, toRerun } from '../../../src/domain/reproduction.ts';
import { searchSeed } from '../../../src/domain/run-plan.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { evaluation } from '../../support/cli-fixtures.ts';
import { containing } from '../../support/matchers.ts';

const value = (number: number): EvaluationResult => evaluation(number).result;
const failed = (reason: 'exception' | 'timeout' | 'cancelled'): EvaluationResult => {
  const { evaluation: id, attempt, device, durationMs, peakMemoryMiB, figures, cached } = value(0);
  const outcome = { evaluation: id, attempt, device, durationMs, peakMemoryMiB, figures, cached };
  return { status: 'failed', reason, message: '', exitCode: 1, signal: null, ...outcome };
};

describe('compareResults', () => {
  test('only the very same value is reproduced', () => {
    expect(compareResults(value(0.1 + 0.2), value(0.1 + 0.2)).verdict).toBe('reproduced');
    expect(compareResults(value(0.3), value(0.1 + 0.2)).verdict).toBe('differs');
  });

  test('a difference is told with its sign and size', () => {
    expect(compareResults(value(0.5), value(0.75)).text).toMatch(/^differs by \+0\.25; /);
    expect(compareResults(value(0.75), value(0.5)).text).toMatch(/^differs by -0\.25; /);
  });

  test('a difference under one identity is the program’s own, under two it may be anything’s', () => {
    expect(compareResults(value(1), value(2)).text).toContain('the program gives no equal values');
    const other = { ...value(2), evaluation: EvaluationId.parse('1'.repeat(32)) } as EvaluationResult;
    expect(compareResults(value(1), other).text).toContain('not as then');
  });

  test('a failure is reproduced by one for the same reason', () => {
    expect(compareResults(failed('exception'), failed('exception')).verdict).toBe('reproduced');
    expect(compareResults(failed('exception'), failed('timeout')).verdict).toBe('differs');
    expect(compareResults(failed('exception'), value(1)).verdict).toBe('differs');
    expect(compareResults(value(1), failed('exception')).verdict).toBe('differs');
  });

  test('what did not run to its end, or was never run, is nothing to compare with', () => {
    expect(compareResults(failed('cancelled'), value(1)).verdict).toBe('new');
    expect(compareResults(null, value(1)).verdict).toBe('new');
  });
});

describe('toRerun', () => {
  const { run, events } = exampleReportInput();
  const seed = searchSeed(run.plan);
  const [first = '', second = ''] = run.task.datasets;
  const inStage = (name: string): JournalEvent | undefined =>
    events.find((event) => event.kind === 'node' && event.stage === name && event.node.status === 'good');
  const nodeIn = (name: string) => {
    const event = inStage(name);
    return event?.kind === 'node' ? event.node.id : nodeId(1);
  };

  test('without a wish it is what the node was judged by, each with what the journal has of it', () => {
    const targets = toRerun(run, events, nodeIn('initial_implementation'), {});
    expect(targets).toMatchObject([{ dataset: first, seed, recorded: { status: 'finished' } }]);
    expect(toRerun(run, events, nodeIn('creative_research'), {}).map(({ dataset }) => dataset)).toEqual(run.task.datasets);
  });

  test('another dataset is found where a later stage evaluated the node, and is new where none did', () => {
    const carried = events.find((event) => event.kind === 'base' && event.stage === 'creative_research');
    const id = carried?.kind === 'base' ? carried.node.id : nodeId(1);
    expect(toRerun(run, events, id, { dataset: second })).toMatchObject([
      { dataset: second, seed, recorded: { status: 'finished' } },
    ]);
    expect(toRerun(run, events, nodeId(2), { dataset: second })).toEqual([{ dataset: second, seed, recorded: null }]);
  });

  test('a fresh seed is found among the replicas', () => {
    const replica = events.find((event) => event.kind === 'replica');
    if (replica?.kind !== 'replica') throw new Error('the example has no replica');
    const freshSeed = replica.evaluations[0]?.seed ?? 0;
    expect(freshSeed).not.toBe(seed);
    const [target] = toRerun(run, events, replica.node, { seed: freshSeed });
    expect(target?.recorded).toEqual(replica.evaluations[0]?.result);
  });

  test('a dataset that the task does not have is refused with those that it has', () => {
    expect(() => toRerun(run, events, nodeId(1), { dataset: `${first}x` })).toThrow(
      expect.objectContaining({ type: 'ConfigInvalid', message: containing(second), fix: containing(`--dataset ${first}`) }),
    );
  });
});
