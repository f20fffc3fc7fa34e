import { ApplicationFailure } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retryingActivities, type RetryingActivity } from '../../src/cli/retrying.ts';
import { RunId, stageWorkflowId } from '../../src/domain/ids.ts';
import { until } from '../support/gate.ts';
import { testPlan } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, proposed, runToEnd, valueOf, withRun } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

describe('a platform failure', () => {
  test('of a device sends the evaluation to another one, and the node is as good as any', async () => {
    const { lab, result } = await runToEnd(server, 'other-device', {
      activities: {
        evaluate: (input) => {
          if (input.node === 'n1' && input.dispatch <= 2)
            throw ApplicationFailure.create({ type: 'HostFailed', message: 'disk full' });
          return valueOf(input);
        },
      },
    });
    expect(result.outcome).toBe('completed');
    const dispatches = lab.evaluated
      .filter(({ node, stage }) => node === 'n1' && stage === 'initial_implementation')
      .map(({ dispatch }) => dispatch);
    expect(dispatches.slice(0, 3)).toEqual([1, 2, 3]);
    expect(nodesOf(lab)[0]).toMatchObject({ id: 'n1', status: 'good' });
  });

  test('that does not end makes the node fail with infrastructure after the bounded tries, and the run goes on', async () => {
    const { lab, result } = await runToEnd(server, 'given-up', {
      plan: { exec: { ...testPlan().exec, maxDispatches: 2 } },
      activities: {
        evaluate: (input) => {
          if (input.node === 'n1') throw ApplicationFailure.create({ type: 'HostFailed', message: 'disk full' });
          return valueOf(input);
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(nodesOf(lab)[0]).toMatchObject({
      status: 'buggy',
      reason: 'infrastructure',
      message: expect.stringContaining('4 tries'),
    });
    expect(lab.evaluated.filter(({ node }) => node === 'n1')).toHaveLength(4);
    expect(nodesOf(lab).some(({ operator, parent }) => operator === 'debug' && parent === 'n1')).toBe(false);
  });

  test('that no device could mend is not tried elsewhere', async () => {
    const { lab } = await runToEnd(server, 'final', {
      activities: {
        evaluate: (input) => {
          if (input.node === 'n1') throw ApplicationFailure.nonRetryable('the experiment is gone', 'ArtifactMissing');
          return valueOf(input);
        },
      },
    });
    expect(lab.evaluated.filter(({ node }) => node === 'n1')).toHaveLength(1);
    expect(nodesOf(lab)[0]).toMatchObject({ reason: 'infrastructure', message: expect.stringContaining('ArtifactMissing') });
  });

  test('of the proposer makes a buggy node without an experiment, and the run goes on', async () => {
    const { lab, result } = await runToEnd(server, 'no-proposal', {
      activities: {
        propose: (input) => {
          if (input.node === 'n2') throw ApplicationFailure.nonRetryable('wrong key', 'ProposerAuth');
          return proposed(input);
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(nodesOf(lab).find(({ id }) => id === 'n2')).toMatchObject({ reason: 'infrastructure', experiment: null });
  });

  test('in writing the journal is waited out, and nothing is lost or written twice', async () => {
    const failures = new Map<number, number>();
    const { lab, result } = await runToEnd(server, 'disk-full-for-a-while', {
      activities: {
        recordEvent: ({ seq }) => {
          const before = failures.get(seq) ?? 0;
          failures.set(seq, before + 1);
          return seq % 5 === 2 && before === 0 ? Promise.reject(new Error('no space left')) : Promise.resolve();
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(lab.events.map(({ seq }) => seq)).toEqual(lab.events.map((_, index) => index));
  });

  test('that a run waits for is told with the number of the try and what to do', async () => {
    let isFull = true;
    const recordEvent = ({ seq }: { seq: number }): Promise<void> =>
      isFull && seq === 1
        ? Promise.reject(ApplicationFailure.create({ type: 'HostFailed', message: 'The disk is full: free some space.' }))
        : Promise.resolve();
    const stage = stageWorkflowId(RunId.parse('disk-full'), 'initial_implementation');
    await withRun(server, { runId: 'disk-full', activities: { recordEvent } }, async ({ handle }) => {
      const waits = (): Promise<RetryingActivity[]> => retryingActivities(server.client, stage).catch(() => []);
      await until(async () => (await waits()).some(({ tries }) => tries >= 3));
      expect(await waits()).toMatchObject([{ activity: 'recordEvent', failure: 'The disk is full: free some space.' }]);
      isFull = false;
      expect((await handle.result()).outcome).toBe('completed');
      expect(await waits()).toEqual([]);
    });
  });
});

describe('a proposal', () => {
  test('that is malformed makes a buggy node that can be repaired', async () => {
    const { lab } = await runToEnd(server, 'malformed', {
      activities: { propose: (input) => (input.node === 'n1' ? { status: 'malformed', message: 'no JSON' } : proposed(input)) },
    });
    expect(nodesOf(lab)[0]).toMatchObject({ status: 'buggy', reason: 'proposal_malformed', experiment: null });
  });

  test('that has nothing left is dropped and counted, and does not use up the stage’s limit', async () => {
    const { lab, result } = await runToEnd(server, 'exhausted', {
      activities: {
        propose: (input) =>
          input.item.kind === 'node' && input.item.target === 'x'
            ? { status: 'exhausted', message: 'no value is left' }
            : proposed(input),
      },
    });
    const tuning = result.stages.find(({ stage }) => stage === 'baseline_tuning');
    expect(tuning?.outcomes.dropped.exhausted).toBeGreaterThan(0);
    expect(nodesOf(lab).filter(({ stage }) => stage === 'baseline_tuning')).toHaveLength(6);
  });
});
