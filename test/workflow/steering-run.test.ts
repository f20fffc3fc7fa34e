import { ApplicationFailure } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { JournalEvent } from '../../src/domain/journal.ts';
import type { RunStatus } from '../../src/domain/messages.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import { gate, until } from '../support/gate.ts';
import { stageDefinition } from '../support/plan.ts';
import { held, refusalOf, stageOf, stageStatusOf, steeringOf, untilHeld, update } from '../support/steering.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, runToEnd, valueOf, withRun, type LabActivities, type Research } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

/** Two stages that make nodes, without replicas, so that a run is short. */
function twoStages(first: number, second: number, change: Partial<RunPlan> = {}): Partial<RunPlan> {
  return {
    stages: [
      stageDefinition('initial_implementation', { maxNodes: first }),
      stageDefinition('baseline_tuning', { maxNodes: second }),
      stageDefinition('creative_research', { maxNodes: 0 }),
      stageDefinition('ablation_studies', { maxNodes: 0 }),
    ],
    replication: { numSeeds: 0, scope: 'best' },
    ...change,
  };
}

const statusOf = ({ handle }: Research): Promise<RunStatus> => handle.query<RunStatus>('status');

describe('a budget of nodes', () => {
  test('goes on with what a stage left, and is exact in both schedules', async () => {
    for (const schedule of ['barrier', 'async'] as const) {
      const plan = twoStages(20, 20, { budgetNodes: 7, schedule, numWorkers: 3 });
      const { lab, result } = await runToEnd(server, `budget-${schedule}`, { plan });
      const first = nodesOf(lab).filter(({ stage }) => stage === 'initial_implementation').length;
      expect(first).toBeLessThan(7);
      expect(nodesOf(lab)).toHaveLength(7);
      expect(result.stages.map(({ reason }) => reason).slice(0, 2)).toEqual(['good_nodes', 'budget']);
    }
  });

  test('can be set while the run goes on: the running stage keeps to it at once, and to a limit of its own', async () => {
    const hold = gate();
    const plan = twoStages(20, 20, { schedule: 'async' });
    const stages = plan.stages?.map((stage) => ({ ...stage, rules: [] }));
    const options = { plan: { ...plan, ...(stages && { stages }) }, activities: held(hold) };
    await withRun(server, { ...options, runId: 'budget-set' }, async (run) => {
      await untilHeld(run);
      expect(await refusalOf(run.handle, 'setBudget', { nodes: null, stage: 'baseline_tuning' })).toContain('cannot be lifted');
      expect(await refusalOf(run.handle, 'setBudget', { node: 3 })).toContain('nodes');
      await update(run.handle, 'setBudget', { nodes: 4, stage: 'initial_implementation' });
      await update(run.handle, 'setBudget', { nodes: 3, stage: 'baseline_tuning' });
      await update(run.handle, 'setBudget', { nodes: 9 });
      expect((await stageStatusOf(stageOf(server, 'budget-set'))).maxNodes).toBe(4);
      await update(run.handle, 'setBudget', { nodes: 6 });
      hold.open();
      const result = await run.handle.result();
      const made = ['initial_implementation', 'baseline_tuning'].map(
        (name) => nodesOf(run.lab).filter(({ stage }) => stage === name).length,
      );
      expect(made).toEqual([4, 2]);
      expect(result.stages.map(({ reason }) => reason).slice(0, 2)).toEqual(['node_limit', 'budget']);
      expect(steeringOf(run.lab)).toEqual([
        'limit of stage initial_implementation set to 4 nodes',
        'budget of the run set to 9 nodes',
        'budget of the run set to 6 nodes',
        'limit of stage baseline_tuning set to 3 nodes',
      ]);
    });
  });
});

describe('pause at checkpoints', () => {
  test('takes evaluations off their devices; after unpause they go on as another dispatch, and no node is lost', async () => {
    const hold = gate();
    await withRun(server, { runId: 'checkpointed', plan: twoStages(3, 0), activities: held(hold) }, async (run) => {
      await untilHeld(run);
      const stage = stageOf(server, 'checkpointed');
      await run.handle.signal('pause', { mode: 'checkpoint', reason: 'the GPU is needed' });
      await until(async () => (await stageStatusOf(stage)).waitingFor?.includes('the devices are free') === true);
      expect(await stageStatusOf(stage)).toMatchObject({
        state: 'paused',
        running: [{ doing: 'waiting for a device' }, { doing: 'waiting for a device' }],
        waitingFor: expect.stringContaining('a person paused the run: the GPU is needed'),
      });
      expect(run.lab.evaluated).toHaveLength(2);
      hold.open();
      await run.handle.signal('unpause', { reason: 'it is free again' });
      expect((await run.handle.result()).outcome).toBe('completed');
      expect(nodesOf(run.lab).map(({ id, status }) => `${id} ${status}`)).toEqual(['n1 good', 'n2 good', 'n3 good']);
      const again = run.lab.evaluated
        .filter(({ node, kind }) => kind === 'measure' && (node === 'n1' || node === 'n2'))
        .slice(2, 4);
      expect(again.map(({ dispatch }) => dispatch)).toEqual([2, 2]);
      expect(steeringOf(run.lab)).toEqual(['paused at checkpoints: the GPU is needed', 'unpaused: it is free again']);
    });
  });

  test('is over when the run is drained: what was interrupted finishes first', async () => {
    const hold = gate();
    await withRun(server, { runId: 'checkpoint-drained', plan: twoStages(3, 0), activities: held(hold) }, async (run) => {
      await untilHeld(run);
      await run.handle.signal('pause', { mode: 'checkpoint' });
      await until(async () => (await stageStatusOf(stageOf(server, 'checkpoint-drained'))).waitingFor !== null);
      hold.open();
      await run.handle.signal('stop', { mode: 'drain' });
      expect((await run.handle.result()).outcome).toBe('stopped');
      expect(nodesOf(run.lab).map(({ status }) => status)).toEqual(['good', 'good']);
    });
  });
});

/** A stage that fails when it enters its second node in the journal, as long as the disk is broken. */
function brokenDisk(): { mended: boolean } & Required<Pick<LabActivities, 'recordEvent'>> {
  const disk = {
    mended: false,
    recordEvent: (event: JournalEvent): Promise<void> => {
      if (disk.mended || event.stage !== 'baseline_tuning' || event.kind !== 'node' || event.seq < 7) return Promise.resolve();
      return Promise.reject(ApplicationFailure.nonRetryable('the disk is broken', 'ArtifactCorrupt'));
    },
  };
  return disk;
}

const PARKING = { onStageFailure: 'park' } as const;

async function untilParked(run: Research): Promise<void> {
  await until(async () => (await statusOf(run)).state === 'needs_attention');
}

describe('a stage that fails', () => {
  test('parks the run; a retry begins it anew with numbers of its own, and the run completes', async () => {
    const disk = brokenDisk();
    await withRun(server, { runId: 'retried', plan: twoStages(4, 4, PARKING), activities: disk }, async (run) => {
      await untilParked(run);
      expect(await statusOf(run)).toMatchObject({
        stage: 'baseline_tuning',
        parked: { stage: 'baseline_tuning', why: 'the disk is broken' },
        waitingFor: expect.stringContaining('retry or skip the stage'),
      });
      expect(await refusalOf(run.handle, 'retryStage', { stage: 'initial_implementation' })).toContain('scientist fork');
      expect(await refusalOf(run.handle, 'retryStage', { stage: 'ablation_studies' })).toContain('has not begun');
      await update(run.handle, 'setWorkers', { workers: 1 });
      const before = nodesOf(run.lab).map(({ id }) => Number(id.slice(1)));
      disk.mended = true;
      await update(run.handle, 'retryStage', { stage: 'baseline_tuning' });
      const result = await run.handle.result();
      expect(result).toMatchObject({
        outcome: 'completed',
        stages: [{}, { stage: 'baseline_tuning', reason: 'node_limit' }, {}, {}],
      });
      expect(run.lab.events.map(({ seq }) => seq)).toEqual(run.lab.events.map((_, index) => index));
      const all = nodesOf(run.lab).map(({ id }) => Number(id.slice(1)));
      expect(all).toHaveLength(before.length + 4);
      expect(Math.min(...all.slice(before.length))).toBeGreaterThan(Math.max(...before) + 1);
      expect(steeringOf(run.lab)).toEqual([
        'workers set to 1',
        'stage baseline_tuning begun anew after it failed: the disk is broken',
      ]);
    });
  });

  test('gives up before it wastes its nodes, when one after the other meets the platform’s fault', async () => {
    let isMended = false;
    const evaluate = (input: EvaluateInput): number => {
      if (isMended || input.stage !== 'baseline_tuning' || input.node === 'n1') return valueOf(input);
      throw ApplicationFailure.nonRetryable('run.json is gone', 'ArtifactMissing');
    };
    const plan = { ...twoStages(1, 8, PARKING), numWorkers: 2 };
    await withRun(server, { runId: 'wasting', plan, activities: { evaluate } }, async (run) => {
      await untilParked(run);
      const { parked } = await statusOf(run);
      expect(parked?.why).toMatch(
        /the last 4 nodes of stage baseline_tuning failed for reasons of the platform: .*run.json is gone/,
      );
      isMended = true;
      await update(run.handle, 'retryStage', { stage: 'baseline_tuning' });
      expect((await run.handle.result()).outcome).toBe('completed');
      const wasted = nodesOf(run.lab).filter((node) => node.status === 'buggy' && node.reason === 'infrastructure');
      expect(wasted).toHaveLength(4);
    });
  });

  test('can be skipped, with the best node that it has', async () => {
    const disk = brokenDisk();
    await withRun(server, { runId: 'failed-skipped', plan: twoStages(4, 4, PARKING), activities: disk }, async (run) => {
      await untilParked(run);
      await update(run.handle, 'skipStage', { stage: 'baseline_tuning' });
      const result = await run.handle.result();
      expect(result).toMatchObject({ outcome: 'completed', stages: [{}, { reason: 'skipped' }, {}, {}] });
      expect(result.stages[1]?.best).not.toBeNull();
      expect(run.lab.events.map(({ seq }) => seq)).toEqual(run.lab.events.map((_, index) => index));
    });
  });

  test('can be the end: stop and cancel write the report of what there is', async () => {
    await withRun(server, { runId: 'failed-stopped', plan: twoStages(4, 4, PARKING), activities: brokenDisk() }, async (run) => {
      await untilParked(run);
      await run.handle.signal('stop');
      expect((await run.handle.result()).outcome).toBe('stopped');
      expect(steeringOf(run.lab)).toEqual(['stopped (drain)']);
      expect(run.lab.reports).toHaveLength(1);
    });
    await withRun(
      server,
      { runId: 'failed-cancelled', plan: twoStages(4, 4, PARKING), activities: brokenDisk() },
      async (run) => {
        await untilParked(run);
        await run.handle.cancel();
        await expect(run.handle.result()).rejects.toThrow(WorkflowFailedError);
        expect((await run.handle.describe()).status.name).toBe('CANCELLED');
        expect(run.lab.reports).toMatchObject([{ outcome: 'cancelled' }]);
      },
    );
  });

  test('ends the run where the plan says so, as it did before', async () => {
    const plan = twoStages(4, 4, { onStageFailure: 'fail' });
    await withRun(server, { runId: 'failed-at-once', plan, activities: brokenDisk() }, async ({ lab, handle }) => {
      await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
      expect(lab.reports).toMatchObject([{ outcome: 'stopped' }]);
    });
  });
});

describe('what a person did while no stage was told', () => {
  test('is entered by the next stage, or at the end where there is none', async () => {
    const hold = gate();
    await withRun(server, { runId: 'noted', plan: twoStages(3, 2), activities: held(hold) }, async (run) => {
      await untilHeld(run);
      await update(run.handle, 'skipStage', { stage: 'creative_research' });
      await update(run.handle, 'skipStage', { stage: 'baseline_tuning' });
      await update(run.handle, 'skipStage', { stage: 'ablation_studies' });
      hold.open();
      expect((await run.handle.result()).stages).toHaveLength(1);
      expect(steeringOf(run.lab)).toEqual([
        'stage creative_research skipped',
        'stage baseline_tuning skipped',
        'stage ablation_studies skipped',
      ]);
    });
    await withRun(server, { runId: 'noted-next', plan: twoStages(3, 2), activities: held(gate(), () => false) }, async (run) => {
      await update(run.handle, 'skipStage', { stage: 'creative_research' });
      await run.handle.result();
      const at = run.lab.events.findIndex(({ kind }) => kind === 'steered');
      expect(run.lab.events[at]).toMatchObject({ message: 'stage creative_research skipped' });
      expect(run.lab.events[at - 1]?.kind).toBe('stage_started');
    });
  });
});
