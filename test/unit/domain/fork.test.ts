import { describe, expect, test } from 'vitest';
import { forkStart, forkText, nodeToRun, type ForkRequest } from '../../../src/domain/fork.ts';
import { NodeId, nodeId, RunId, type StageName, nodeNumber } from '../../../src/domain/ids.ts';
import type { JournalEvent } from '../../../src/domain/journal.ts';
import { ResearchInput } from '../../../src/domain/run-plan.ts';
import { buggy, good, landed, RUN, started } from '../../support/cli-fixtures.ts';
import { containing } from '../../support/matchers.ts';

const from = (node: number, stage?: StageName): ForkRequest => ({
  run: RUN,
  node: nodeId(node),
  ...(stage === undefined ? {} : { stage }),
});

const events: JournalEvent[] = [
  started(0),
  landed(1, good(1, 0.5)),
  landed(2, buggy(2)),
  landed(3, buggy(3, { experiment: null, reason: 'proposal_malformed', parent: nodeId(2) })),
  landed(4, good(4, 0.6, { stage: 'creative_research' })),
];

describe('forkStart', () => {
  test('a good node of stage 1 is tuned, as its stage has nothing left to do for it', () => {
    expect(forkStart(events, from(1))).toMatchObject({ stage: 'baseline_tuning', node: { id: 'n1', metric: 0.5 } });
  });

  test('a buggy node begins where it was made, so that it is repaired there', () => {
    expect(forkStart(events, from(2))).toMatchObject({
      stage: 'initial_implementation',
      node: { id: 'n2', reason: 'exception' },
    });
  });

  test('any other good node begins with the stage that made it', () => {
    expect(forkStart(events, from(4)).stage).toBe('creative_research');
  });

  test('a stage that is asked for wins', () => {
    expect(forkStart(events, from(1, 'ablation_studies')).stage).toBe('ablation_studies');
  });

  test('a carried node counts as the stage that made it recorded it', () => {
    const carried: JournalEvent = { kind: 'base', seq: 5, stage: 'baseline_tuning', node: good(1, 0.1), evaluations: [] };
    expect(forkStart([carried, ...events], from(1)).node).toMatchObject({ metric: 0.5 });
    expect(forkStart([carried], from(1)).node).toMatchObject({ metric: 0.1 });
  });

  test('a node that is not there is refused with those that are', () => {
    expect(() => forkStart(events, from(9))).toThrow(
      expect.objectContaining({
        type: 'ConfigInvalid',
        message: containing('n1, n2, n3, n4'),
        fix: containing('scientist journal'),
      }),
    );
    expect(() => forkStart([], from(9))).toThrow('it has no node yet');
  });

  test('many nodes are not listed one by one', () => {
    const many = Array.from({ length: 200 }, (_, index) => landed(index, good(index + 1, 0.5)));
    expect(() => forkStart(many, from(900))).toThrow('it has 200 nodes from n1 to n200');
  });

  test('a node without an experiment is refused with the one to take instead', () => {
    expect(() => nodeToRun(events, RUN, nodeId(3))).toThrow(
      expect.objectContaining({ message: containing('proposal_malformed'), fix: containing('its parent n2') }),
    );
  });
});

test('the number of a node is the one in its id', () => {
  expect([nodeNumber(nodeId(17)), nodeNumber(NodeId.parse('n9999999'))]).toEqual([17, 9_999_999]);
});

test('where a run came from can be said in words', () => {
  expect(forkText({ run: RUN, node: nodeId(17), stage: 'baseline_tuning' })).toBe(`forked from n17 of run ${RUN}`);
});

test('the start input of a run names a node of another one, and nothing that could be a path', () => {
  const input = (value: unknown) => ResearchInput.safeParse({ config: 'config/quick.yaml', from: value }).success;
  expect(input({ run: 'digits-1', node: 'n3' })).toBe(true);
  expect(input({ run: 'digits-1', node: 'n3', stage: 'ablation_studies' })).toBe(true);
  expect([
    input({ run: '../x', node: 'n3' }),
    input({ run: 'x', node: '3' }),
    input({ run: 'x', node: 'n3', stage: 'x' }),
  ]).toEqual([false, false, false]);
  expect(RunId.safeParse('digits-1').success).toBe(true);
});
