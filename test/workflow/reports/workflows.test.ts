import { ActivityFailure, ApplicationFailure } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runClient } from '../../../src/cli/run-client.ts';
import { STAGE_NAMES, stageWorkflowId } from '../../../src/domain/ids.ts';
import { gate, until } from '../../support/gate.ts';
import { startManyRuns, type ManyRuns, type ManyRunsOptions } from '../../support/many-runs.ts';
import { stageDefinition, testPlan } from '../../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../../support/temporal-server.ts';
import { failed, refOf, runToEnd, valueOf, withRun } from '../../support/workflow-lab.ts';

/** What users of the platform reported, as behaviours that our workflows must have; test/architecture/reports.test.ts lists all. */

/** Each with the workflow of its stage. */
const RUNS = 30;
const KEPT = 6;
const FIRST = 'initial_implementation';
let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

async function withManyRuns<T>(options: ManyRunsOptions, use: (runs: ManyRuns) => Promise<T>): Promise<T> {
  const runs = await startManyRuns(server, options);
  try {
    return await use(runs);
  } finally {
    await runs.stop();
  }
}

/** Types of the events of a workflow's history, in order. */
async function eventTypes(workflowId: string): Promise<string[]> {
  const { events } = await server.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).map((event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '');
}

describe('workflows', () => {
  // sdk-typescript#1115, #1039
  test('never fail a workflow task because a node fails while others run', async () => {
    await runToEnd(server, 'failing-nodes', {
      plan: { schedule: 'async', numWorkers: 4 },
      activities: {
        evaluate: (input) => {
          if (input.node === 'n2') throw ApplicationFailure.nonRetryable('gone', 'ArtifactMissing');
          return valueOf(input) < 0.4 ? failed(input) : valueOf(input);
        },
        propose: (input) =>
          input.node === 'n3'
            ? { status: 'malformed', message: 'no' }
            : { status: 'proposed', experiment: refOf(input.item.id), label: 'x', changed: ['x'], plan: '' },
      },
    });
    const types = await Promise.all(
      ['failing-nodes', ...STAGE_NAMES.map((stage) => stageWorkflowId('failing-nodes', stage))].map(eventTypes),
    );
    expect(types.flat()).toContain('activityTaskFailedEventAttributes');
    expect(types.flat().filter((type) => type.startsWith('workflowTaskFailed'))).toEqual([]);
  });

  // sdk-typescript#2227
  test('open at once, ten times as many as are kept in memory, all finish, and never are more of them kept', async () => {
    const hold = gate();
    const begun = new Set<string>();
    const once = { stages: STAGE_NAMES.map((name) => stageDefinition(name, { maxNodes: 1, datasets: ['a'] })), numWorkers: 1 };
    const planOf = () => ({
      ...once,
      // Held back for longer than any heartbeat: nothing beats for them here.
      exec: { ...testPlan().exec, timeoutMs: 600_000, heartbeatTimeoutMs: 600_000 },
      search: { policy: 'best_first', numDrafts: 1, debugProb: 0, maxDebugDepth: 0, ablationPairs: false },
    });
    const evaluate: ManyRunsOptions['evaluate'] = async (input) => {
      begun.add(input.runId);
      await hold.passed;
      return failed(input);
    };
    await withManyRuns({ queuePrefix: 'many.', maxCachedWorkflows: KEPT, planOf, evaluate }, async (runs) => {
      const handles = [];
      for (let run = 0; run < RUNS; run++) handles.push(await runs.start(`many-${run}`));
      const cached: number[] = [];
      await until(() => (cached.push(runs.cached()), begun.size === RUNS));
      const { count } = await server.client.workflow.count('TaskQueue = "many.research" AND ExecutionStatus = "Running"');
      expect(count).toBe(2 * RUNS);
      hold.open();
      const outcomes = await Promise.all(handles.map(async (handle) => (await handle.result()).outcome));
      expect(new Set(outcomes)).toEqual(new Set(['no_good_node']));
      expect(Math.max(...cached, runs.cached())).toBeLessThanOrEqual(KEPT);
    });
  }, 180_000);

  // sdk-typescript#1355, #1592, #2170
  test('of runs with other configs in one process see nothing of each other', async () => {
    const planOf = (runId: string): ReturnType<NonNullable<ManyRunsOptions['planOf']>> =>
      runId.startsWith('odd') ? { seed: 7, numWorkers: 3, replication: { numSeeds: 1, scope: 'best' } } : { seed: 2 };
    await withManyRuns({ queuePrefix: 'apart.', planOf }, async (runs) => {
      const end = async (runId: string) => (await runs.start(runId)).result();
      await end('odd-alone');
      await end('even-alone');
      await Promise.all(['odd-together', 'even-together'].map(end));
      expect(runs.eventsOf('odd-together')).toEqual(runs.eventsOf('odd-alone'));
      expect(runs.eventsOf('even-together')).toEqual(runs.eventsOf('even-alone'));
      expect(runs.eventsOf('odd-alone')).not.toEqual(runs.eventsOf('even-alone'));
    });
  }, 120_000);

  // sdk-typescript#1744, sdk-python#1578
  const small = () => ({ stages: STAGE_NAMES.map((name) => stageDefinition(name, { maxNodes: 2 })) });
  test('that are replayed from their start at every task decide as those that are kept in memory', async () => {
    const [kept, replayed] = await Promise.all(
      [100, 0].map((maxCachedWorkflows) =>
        withManyRuns({ queuePrefix: `cache-${maxCachedWorkflows}.`, maxCachedWorkflows, planOf: small }, async (runs) => {
          await (await runs.start(`cache-${maxCachedWorkflows}`)).result();
          return runs.eventsOf(`cache-${maxCachedWorkflows}`);
        }),
      ),
    );
    expect(kept?.length).toBeGreaterThan(10);
    expect(replayed).toEqual(kept);
  }, 240_000);
});

describe('an update', () => {
  // temporal#6375, features#467
  test('is answered, each of fifty, while the stage that they go to continues as new again and again', async () => {
    const stages = STAGE_NAMES.map((name) => stageDefinition(name, { maxNodes: 400, rules: [] }));
    await withRun(server, { runId: 'updated', plan: { stages, maxHistoryEvents: 50 } }, async ({ lab, handle }) => {
      const stage = stageWorkflowId('updated', FIRST);
      const client = runClient(server.client);
      await until(() => lab.events.some(({ kind }) => kind === 'node'));
      const send = () => client.update(stage, 'setStrategy', { name: 'in_order', options: {} });
      const answers: unknown[] = [];
      for (let batch = 0; batch < 10; batch++) {
        answers.push(...(await Promise.all(Array.from({ length: 5 }, send))));
        await until(() => lab.events.filter(({ kind }) => kind === 'steered').length >= answers.length);
      }
      expect(answers).toEqual(Array.from({ length: 50 }, () => ({ name: 'in_order', options: {} })));
      const { count } = await server.client.workflow.count(`WorkflowId = "${stage}"`);
      expect(count).toBeGreaterThan(3);
      await handle.signal('stop', { mode: 'now' });
      await handle.result();
      expect(lab.events.filter(({ kind }) => kind === 'steered').length).toBeGreaterThanOrEqual(50);
    });
  }, 180_000);

  // sdk-typescript#1960
  test('that is sent while the server is away is answered when it is back, and no rejection is left unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const hold = gate();
    const evaluate = async (input: Parameters<typeof valueOf>[0]) => (await hold.passed, valueOf(input));
    await withRun(server, { runId: 'away', activities: { evaluate } }, async ({ lab, handle }) => {
      const client = runClient(server.client);
      await until(() => lab.evaluated.length > 0);
      await server.kill();
      const answer = client.update('away', 'setWorkers', { workers: 1 });
      expect(await client.status('away')).toEqual({ kind: 'silent' });
      await expect(client.signal('away', 'pause', {})).rejects.toThrow();
      await server.start();
      expect(await answer).toMatchObject({ workers: 1 });
      hold.open();
      await handle.signal('stop', { mode: 'now' });
      await handle.result();
    });
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  }, 120_000);
});

describe('an activity that no worker has', () => {
  // sdk-typescript#521
  test.each(['resolveRun', 'recordEvent', 'propose', 'evaluate'])(
    '%s ends within five tries, and what is said names it and its worker',
    async (name) => {
      const id = `lacking-${name.toLowerCase()}`;
      await withManyRuns({ queuePrefix: `${id}.`, without: [name] }, async (runs) => {
        const handle = await runs.start(id);
        let isOver = false;
        const ends = [handle.result().catch((error: unknown) => error), untilAttention(id, () => isOver)];
        const ended = await Promise.race(ends);
        // What is still asked of the server when its connection is closed would throw where nobody catches it.
        isOver = true;
        await server.client.workflow
          .getHandle(id)
          .terminate()
          .catch(() => undefined);
        await Promise.all(ends);
        const said = JSON.stringify(runs.eventsOf(id)) + textOf(ended);
        expect(said).toMatch(new RegExp(`NotFoundError|Activity function ${name} is not registered`));
        expect(said).toContain(name);
        expect(said).toMatch(/worker of|cpu\d/);
        const tries = await triesOf([id, stageWorkflowId(id, FIRST)], name);
        expect(Math.max(...tries.values())).toBeLessThanOrEqual(5);
      });
    },
    60_000,
  );
});

/** A run whose stage failed for good waits for a person. */
async function untilAttention(runId: string, isOver: () => boolean): Promise<unknown> {
  const client = runClient(server.client);
  let seen: unknown;
  await until(async () => {
    const status = await client.status(runId);
    seen = status;
    return isOver() || (status.kind === 'answer' && status.value.state === 'needs_attention');
  });
  const stage = server.client.workflow.getHandle(stageWorkflowId(runId, FIRST));
  return { seen, why: await stage.result().catch((error: unknown) => textOf(error)) };
}

/** All that an error and its causes say, with the workers that they name. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  const worker = error instanceof ActivityFailure ? `on ${error.identity ?? ''}` : '';
  return [error.name, error.message, worker, error.cause === undefined ? '' : textOf(error.cause)].join(' ');
}

/** How often each activity of a type was tried, by the event that scheduled it. */
async function triesOf(workflowIds: readonly string[], type: string): Promise<Map<string, number>> {
  const tries = new Map<string, number>([['none', 0]]);
  for (const id of workflowIds) {
    const history = await server.client.workflow
      .getHandle(id)
      .fetchHistory()
      .catch(() => ({ events: [] }));
    const scheduled = (history.events ?? []).filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type,
    );
    for (const { activityTaskStartedEventAttributes: started } of history.events ?? []) {
      const of = scheduled.find(({ eventId }) => String(eventId) === String(started?.scheduledEventId));
      if (of !== undefined) tries.set(`${id}/${String(of.eventId)}`, started?.attempt ?? 0);
    }
  }
  return tries;
}
