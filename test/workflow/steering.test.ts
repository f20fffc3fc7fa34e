import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunStatus, StageStatus } from '../../src/domain/messages.ts';
import { gate, until } from '../support/gate.ts';
import { testPlan } from '../support/plan.ts';
import { held, stageOf, stageStatusOf, steeringOf, untilHeld } from '../support/steering.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, valueOf, withRun, type LabActivities } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

const FIRST = 'initial_implementation';

async function runningNodes(runId: string): Promise<string[]> {
  const status = await stageStatusOf(stageOf(server, runId));
  return status.running.map(({ node }) => node);
}

describe('steering', () => {
  test('pause lets what runs finish and starts nothing new; unpause goes on', async () => {
    const hold = gate();
    await withRun(
      server,
      { runId: 'paused', activities: held(hold, ({ node }) => node === 'n1' || node === 'n2') },
      async (run) => {
        await untilHeld(run);
        await run.handle.signal('pause', { reason: 'lunch' });
        const stage = stageOf(server, 'paused');
        await until(async () => (await stage.query<StageStatus>('status')).state === 'paused');
        hold.open();
        await until(async () => (await stage.query<StageStatus>('status')).nodes === 2);
        expect(await stage.query<StageStatus>('status')).toMatchObject({
          state: 'paused',
          running: [],
          waitingFor: 'a person paused the run: lunch',
        });
        expect(await run.handle.query<RunStatus>('status')).toMatchObject({
          state: 'paused',
          waitingFor: 'a person paused the run',
        });
        expect(run.lab.evaluated).toHaveLength(2);
        await run.handle.signal('unpause');
        expect((await run.handle.result()).outcome).toBe('completed');
      },
    );
  });

  test('stop drain lets what runs finish, skips the rest and writes the report', async () => {
    const hold = gate();
    await withRun(server, { runId: 'drained', activities: held(hold) }, async (run) => {
      await untilHeld(run);
      await run.handle.signal('stop', { mode: 'drain' });
      await until(async () => (await stageOf(server, 'drained').query<StageStatus>('status')).state === 'stopping');
      hold.open();
      const result = await run.handle.result();
      expect(result).toMatchObject({ outcome: 'stopped', stages: [{ reason: 'stopped' }] });
      expect(nodesOf(run.lab).map(({ status }) => status)).toEqual(['good', 'good']);
      expect(steeringOf(run.lab)).toEqual(['stopped (drain): a person stopped the run']);
      expect(run.lab.reports[0]).toMatchObject({ outcome: 'stopped', best: result.best?.id });
    });
  });

  test('stop now ends what runs, journals it as cancelled, and writes the report', async () => {
    await withRun(server, { runId: 'stopped-now', activities: held(gate()) }, async (run) => {
      await untilHeld(run);
      await run.handle.signal('stop', { mode: 'now' });
      expect((await run.handle.result()).outcome).toBe('stopped');
      expect(nodesOf(run.lab)).toMatchObject([{ reason: 'cancelled' }, { reason: 'cancelled' }]);
    });
  });

  test('cancelling the run ends what runs, journals it, reports what there is, and closes as cancelled', async () => {
    await withRun(server, { runId: 'run-cancelled', activities: held(gate(), ({ node }) => node !== 'n1') }, async (run) => {
      await untilHeld(run);
      await run.handle.cancel();
      await expect(run.handle.result()).rejects.toThrow(WorkflowFailedError);
      expect((await run.handle.describe()).status.name).toBe('CANCELLED');
      expect(run.lab.reports).toMatchObject([{ outcome: 'cancelled', best: 'n1' }]);
      expect(nodesOf(run.lab)).toMatchObject([{ status: 'good' }, { reason: 'cancelled' }]);
    });
  });

  test('cancelNode ends one node and the rest goes on; a node that is not being made is refused', async () => {
    const hold = gate();
    await withRun(server, { runId: 'one-cancelled', activities: held(hold, ({ node }) => node === 'n2') }, async (run) => {
      await untilHeld(run);
      const stage = stageOf(server, 'one-cancelled');
      await until(async () => (await runningNodes('one-cancelled')).includes('n2'));
      await expect(stage.executeUpdate('cancelNode', { args: [{ node: 'n99' }] })).rejects.toThrow(WorkflowUpdateFailedError);
      await expect(stage.executeUpdate('cancelNode', { args: [{ nod: 'n2' }] })).rejects.toThrow(WorkflowUpdateFailedError);
      await stage.executeUpdate('cancelNode', { args: [{ node: 'n2' }] });
      expect((await run.handle.result()).outcome).toBe('completed');
      expect(nodesOf(run.lab).find(({ id }) => id === 'n2')).toMatchObject({ status: 'buggy', reason: 'cancelled' });
      expect(steeringOf(run.lab)).toEqual(['n2 cancelled']);
    });
  });

  test('setWorkers changes the number of items at once from the next plan on; a senseless number is refused', async () => {
    const hold = gate();
    const busy = { now: 0, most: 0 };
    const evaluate: LabActivities['evaluate'] = async (input) => {
      await hold.passed;
      busy.now++;
      busy.most = Math.max(busy.most, busy.now);
      await new Promise((resolve) => setTimeout(resolve, 20));
      busy.now--;
      return valueOf(input);
    };
    // One dataset everywhere: the base of a stage would otherwise be evaluated on all of them at once.
    const stages = testPlan().stages.map((stage) => ({ ...stage, datasets: ['a'] }));
    await withRun(server, { runId: 'one-worker', plan: { stages }, activities: { evaluate } }, async (run) => {
      await untilHeld(run);
      await run.handle.executeUpdate('setWorkers', { args: [{ workers: 1 }] });
      await expect(run.handle.executeUpdate('setWorkers', { args: [{ workers: 0 }] })).rejects.toThrow(WorkflowUpdateFailedError);
      hold.open();
      await until(() => nodesOf(run.lab).length === 2);
      expect(steeringOf(run.lab)).toEqual(['workers set to 1']);
      busy.most = 0;
      await run.handle.result();
      expect(busy.most).toBe(1);
    });
  });

  test('skipStage leaves out a stage to come and ends the current one; skipping without a good node is refused', async () => {
    const hold = gate();
    await withRun(
      server,
      { runId: 'skipping', activities: held(hold, ({ stage, node }) => stage === FIRST && node !== 'n1') },
      async (run) => {
        await until(() => run.lab.evaluated.length >= 1);
        await expect(run.handle.executeUpdate('skipStage', { args: [{ stage: FIRST }] })).rejects.toThrow(
          WorkflowUpdateFailedError,
        );
        await run.handle.executeUpdate('skipStage', { args: [{ stage: 'creative_research' }] });
        hold.open();
        const result = await run.handle.result();
        expect(result.stages.map(({ stage }) => stage)).toEqual([FIRST, 'baseline_tuning', 'ablation_studies']);
      },
    );
  });
});

describe('bad input', () => {
  test('signals that make no sense are counted and change nothing', async () => {
    const hold = gate();
    await withRun(server, { runId: 'bad-signals', activities: held(hold) }, async (run) => {
      await untilHeld(run);
      const stage = stageOf(server, 'bad-signals');
      await stage.signal('stop', { mode: 'sideways' });
      await stage.signal('setWorkers', 'many');
      await stage.signal('pause', { reason: 7 });
      await run.handle.signal('stop', ['now']);
      hold.open();
      expect((await run.handle.result()).outcome).toBe('completed');
      expect(run.lab.reports[0]?.stages[0]?.outcomes.badSignals).toBe(3);
    });
  });

  test('a start input that does not fit fails the workflow at once with the reason, and so does an unknown type', async () => {
    await withRun(server, { runId: 'good-input' }, async ({ handle }) => {
      const start = (workflowType: string, index: number, input: unknown) =>
        server.client.workflow.start(workflowType, {
          taskQueue: 'good-input.research',
          workflowId: `bad-${index}`,
          args: [input],
        });
      for (const [index, input] of [{}, 'config/quick.yaml', { config: 7 }, { config: 'a', extra: 1 }, null].entries()) {
        const bad = await start('research', index, input);
        await expect(bad.result()).rejects.toMatchObject({ cause: { type: 'ConfigInvalid' } });
      }
      const stage = await start('baselineTuning', 5, { stage: 'baseline_tuning' });
      await expect(stage.result()).rejects.toMatchObject({ cause: { type: 'ConfigInvalid' } });
      const unknown = await start('reserch', 6, {});
      await expect(unknown.result()).rejects.toMatchObject({
        cause: { message: expect.stringContaining('there is no workflow type reserch') },
      });
      await handle.result();
    });
  });
});
