import { ApplicationFailure, Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceQueue } from '../../src/domain/device.ts';
import type { EvaluateInput } from '../../src/domain/evaluation.ts';
import { DeviceName, stageWorkflowId } from '../../src/domain/ids.ts';
import { MESSAGES, StageStatus } from '../../src/domain/messages.ts';
import type { WatchInput, WatchReport } from '../../src/domain/watch.ts';
import { gate, until } from '../support/gate.ts';
import { stageDefinition, testPlan } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { nodesOf, runToEnd, valueOf, withRun, type Research, type WorkflowLab } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

/** One stage that makes a few nodes on two devices; the others make none. */
const SHORT = {
  stages: [
    stageDefinition('initial_implementation', { maxNodes: 4, rules: [] }),
    stageDefinition('baseline_tuning', { maxNodes: 0 }),
    stageDefinition('creative_research', { maxNodes: 0 }),
    stageDefinition('ablation_studies', { maxNodes: 0 }),
  ],
  replication: { numSeeds: 0, scope: 'best' as const },
};

const FOUR_DEVICES = {
  devices: ['cpu0', 'cpu1', 'cpu2', 'cpu3'].map((name) => ({
    name: DeviceName.parse(name),
    host: 'here',
    kind: 'cpu' as const,
    queue: deviceQueue('few-at-a-time.', 'here', name),
    uuid: null,
    memoryMiB: null,
  })),
};

/** Answers of the watch on devices of which a test decides whether they live: by name. */
function watchOver(runId: string, down: Set<string>): (input: WatchInput) => Promise<WatchReport> {
  const queueOf = (name: string): string => `${runId}.device.here.${name}`;
  return async ({ lost }) => {
    const { cancellationSignal } = Context.current();
    for (;;) {
      const isDown = (queue: string): boolean => [...down].some((name) => queueOf(name) === queue);
      const fallen = [...down].map(queueOf).filter((queue) => !lost.includes(queue));
      const returned = lost.filter((queue) => !isDown(queue));
      if (fallen.length + returned.length > 0 || cancellationSignal.aborted)
        return { lost: fallen.map((queue) => ({ queue, silentSince: '2026-01-01T00:00:00.000Z' })), returned, added: [] };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

/** Which device an evaluation is on: asked inside of the activity. */
function deviceHere(): string {
  return Context.current().info.taskQueue.split('.').at(-1) ?? '';
}

async function waitingFor({ handle }: Research): Promise<string | null> {
  const stage = server.client.workflow.getHandle(stageWorkflowId(handle.workflowId, 'initial_implementation'));
  const answer = await stage.query(MESSAGES.status).catch(() => null);
  return answer === null ? null : StageStatus.parse(answer).waitingFor;
}

/** What a journal says of its nodes: not on which device, nor at which try. */
function outcomes(lab: Pick<WorkflowLab, 'events'>): unknown[] {
  return nodesOf(lab).map((node) => [node.id, node.status, node.status === 'good' ? node.metric : node.reason]);
}

/** The outcomes of the same run when nothing happens to its devices. */
async function calm(): Promise<unknown[]> {
  return outcomes((await runToEnd(server, 'calm', { plan: SHORT })).lab);
}

describe('a device that is lost', { timeout: 180_000 }, () => {
  test('loses its work to another one, and is used again when it is back; the journal is that of a calm run', async () => {
    const down = new Set<string>();
    const used: string[] = [];
    const runId = 'lost-and-back';
    const activities = {
      hosted: ['cpu1'],
      watchDevices: watchOver(runId, down),
      evaluate: (input: Parameters<typeof valueOf>[0]) => {
        used.push(deviceHere());
        return valueOf(input);
      },
    };
    await withRun(server, { runId, plan: SHORT, activities }, async ({ lab, handle }) => {
      // One of the first two went to cpu1; the other waits on the queue of cpu0, where nobody polls.
      await until(() => used.length === 1);
      down.add('cpu0');
      await until(() => used.length >= 2);
      expect(new Set(used)).toEqual(new Set(['cpu1']));
      await lab.host('cpu0');
      down.delete('cpu0');
      expect((await handle.result()).outcome).toBe('completed');
      expect(lab.evaluated.every(({ dispatch }) => dispatch <= 2)).toBe(true);
      expect(used).toContain('cpu0');
      expect(outcomes(lab)).toEqual(await calm());
    });
  });

  test('with no other one there, makes the run wait and say for what and what to do', async () => {
    const down = new Set<string>(['cpu0', 'cpu1']);
    const runId = 'all-lost';
    const activities = { hosted: [], watchDevices: watchOver(runId, down) };
    await withRun(server, { runId, plan: SHORT, activities }, async (research) => {
      await until(async () => (await waitingFor(research))?.includes('no sign of') ?? false);
      expect(await waitingFor(research)).toBe(
        'a device: no sign of cpu0 since 2026-01-01T00:00:00.000Z, cpu1 since 2026-01-01T00:00:00.000Z; start its worker: scientist up',
      );
      await research.lab.host('cpu1');
      down.delete('cpu1');
      expect((await research.handle.result()).outcome).toBe('completed');
      expect(outcomes(research.lab)).toEqual(await calm());
    });
  });

  test('falls silent in the middle of an evaluation, which goes to another one after the heartbeat time-out', async () => {
    const silent = gate();
    const tried: string[] = [];
    const { lab, result } = await runToEnd(server, 'fell-silent', {
      plan: { ...SHORT, exec: { ...testPlan().exec, heartbeatTimeoutMs: 2000 } },
      activities: {
        evaluate: async (input) => {
          if (input.node !== 'n1') return valueOf(input);
          tried.push(deviceHere());
          // It never beats: for the server its worker is gone.
          if (tried.length === 1) await Promise.race([silent.passed, Context.current().cancelled.catch(() => undefined)]);
          else silent.open();
          return valueOf(input);
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(new Set(tried).size).toBe(2);
    expect(tried).toHaveLength(2);
    expect(outcomes(lab)).toEqual(await calm());
  });

  test('is not forgotten by the stage after it', async () => {
    const used: string[] = [];
    const runId = 'still-lost';
    const watch = watchOver(runId, new Set(['cpu1']));
    let watches = 0;
    // Told once: a stage that begins without knowing it would not hear of it again.
    const watchDevices = (input: WatchInput): Promise<WatchReport> =>
      watch(watches++ === 0 ? input : { ...input, lost: [`${runId}.device.here.cpu1`] });
    const stages = [
      stageDefinition('initial_implementation', { maxNodes: 4, rules: [] }),
      stageDefinition('baseline_tuning', { maxNodes: 4 }),
      ...SHORT.stages.slice(2),
    ];
    const { result } = await runToEnd(server, runId, {
      plan: { ...SHORT, stages },
      activities: {
        watchDevices,
        evaluate: (input) => {
          used.push(`${input.stage} on ${deviceHere()}`);
          return valueOf(input);
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(used).toContain('baseline_tuning on cpu0');
    expect(used).not.toContain('baseline_tuning on cpu1');
  });
});

describe('an experiment', { timeout: 180_000 }, () => {
  const workerLost = () => ApplicationFailure.create({ type: 'WorkerLost', message: 'the worker was killed' });

  test('that takes its worker down twice on each of two devices is poison: a buggy node, and the run goes on', async () => {
    const tried: string[] = [];
    const { lab, result } = await runToEnd(server, 'poison', {
      plan: SHORT,
      activities: {
        evaluate: (input) => {
          if (input.node !== 'n2') return valueOf(input);
          tried.push(deviceHere());
          throw workerLost();
        },
      },
    });
    expect(result.outcome).toBe('completed');
    expect(tried.sort()).toEqual(['cpu0', 'cpu0', 'cpu1', 'cpu1']);
    expect(nodesOf(lab)).toHaveLength(4);
    expect(nodesOf(lab).find(({ id }) => id === 'n2')).toMatchObject({ status: 'buggy', reason: 'poison' });
  });

  test('whose worker was lost three times and told to end many times is none: it runs, and the journal is that of a calm run', async () => {
    let tries = 0;
    const { lab } = await runToEnd(server, 'innocent', {
      plan: SHORT,
      activities: {
        evaluate: (input) => {
          if (input.node !== 'n2') return valueOf(input);
          tries += 1;
          if (tries <= 3) throw workerLost();
          if (tries <= 12) throw ApplicationFailure.create({ type: 'WorkerShutdown', message: 'the worker ends' });
          return valueOf(input);
        },
      },
    });
    expect(tries).toBe(13);
    expect(outcomes(lab)).toEqual(await calm());
  });
});

test('a run uses no more devices at a time than it may', async () => {
  let [now, most] = [0, 0];
  const plan = { ...SHORT, ...FOUR_DEVICES, maxDevices: 2, numWorkers: 4 };
  const evaluate = async (input: EvaluateInput): Promise<number> => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 50));
    now--;
    return valueOf(input);
  };
  const { lab } = await runToEnd(server, 'few-at-a-time', { plan, activities: { evaluate } });
  expect(nodesOf(lab)).toHaveLength(4);
  expect(most).toBe(2);
});
