import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportLostActivities, reportUndelivered } from '../../src/workers/lost-activities.ts';
import type { RoleLog } from '../../src/workers/log.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';

/** Activities whose worker was killed, on the real server: this test takes tasks as a worker does, and never answers. */

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

const NAMESPACE = 'default';
const NAME = 'control@here';
/** Of `SCHEDULED` and `STARTED` in the server's interface. */
const [SCHEDULED, STARTED] = [1, 2];

/** The client's types want an object for the number, which the wire does not need. */
const HOUR = { seconds: 3600 } as never;
/** `COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK` of the server's interface. */
const SCHEDULE_ACTIVITY = 1;

/** A workflow with one activity that a worker of this identity has taken. */
async function taken(workflowId: string, identity: string): Promise<void> {
  const { workflowService } = server.client;
  const soon = <T>(call: () => Promise<T>): Promise<T> => server.client.withDeadline(Date.now() + 60_000, call);
  const taskQueue = { name: workflowId };
  await server.client.workflow.start('none', { workflowId, taskQueue: workflowId });
  const task = await soon(() => workflowService.pollWorkflowTaskQueue({ namespace: NAMESPACE, taskQueue, identity }));
  const activity = {
    activityId: 'a1',
    activityType: { name: 'recordEvent' },
    taskQueue,
    startToCloseTimeout: HOUR,
    heartbeatTimeout: HOUR,
  };
  const commands = [{ commandType: SCHEDULE_ACTIVITY, scheduleActivityTaskCommandAttributes: activity }];
  await workflowService.respondWorkflowTaskCompleted({ namespace: NAMESPACE, taskToken: task.taskToken, identity, commands });
  await soon(() => workflowService.pollActivityTaskQueue({ namespace: NAMESPACE, taskQueue, identity }));
}

async function pendingOf(workflowId: string): Promise<{ state: number; attempt: number }> {
  const { raw } = await server.client.workflow.getHandle(workflowId).describe();
  const [pending] = raw.pendingActivities ?? [];
  return { state: Number(pending?.state), attempt: Number(pending?.attempt) };
}

/** A pid that no process has any more. */
function deadPid(): number {
  return spawnSync('true').pid;
}

function newLog(): { lines: string[]; log: RoleLog } {
  const lines: string[] = [];
  const say = (text: string): number => lines.push(text);
  return { lines, log: { info: say, warn: say, error: say } };
}

describe('a worker that starts', () => {
  const { lines, log } = newLog();

  test('has the activities tried again at once that a killed worker of its name had, and no others', async () => {
    await taken('killed', `${NAME} (${deadPid()})`);
    await taken('alive', `${NAME} (${process.ppid})`);
    await taken('other', `proposals@here (${deadPid()})`);
    await taken('longer', `${NAME}.example (${deadPid()})`);
    await reportLostActivities(server.client, NAME, log);
    expect(await pendingOf('killed')).toEqual({ state: SCHEDULED, attempt: 2 });
    for (const id of ['alive', 'other', 'longer']) expect(await pendingOf(id), id).toEqual({ state: STARTED, attempt: 1 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a1 of killed');
  });
});

describe('a worker whose server was started again', () => {
  const identity = 'cpu0@here (4711)';

  test('has those tried again at once that it was given before and never got, and no others', async () => {
    const { lines, log } = newLog();
    await taken('undelivered', identity);
    await taken('at-work', identity);
    await taken('of-another', 'cpu1@here (4711)');
    const { runId: atWork } = await server.client.workflow.getHandle('at-work').describe();
    const own = { identity, isRunning: ({ runId }: { runId: string }) => runId === atWork };
    await reportUndelivered(server.client, { ...own, before: Date.now() - 3_600_000 }, log);
    expect(lines).toEqual([]);
    await reportUndelivered(server.client, { ...own, before: Date.now() + 1000 }, log);
    expect(await pendingOf('undelivered')).toEqual({ state: SCHEDULED, attempt: 2 });
    for (const id of ['at-work', 'of-another']) expect(await pendingOf(id), id).toEqual({ state: STARTED, attempt: 1 });
    expect(lines).toEqual([`activity a1 of undelivered is tried again: ${identity} never got it`]);
  });
});
