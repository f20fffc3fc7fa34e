import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/domain/messages.ts';
import { gate, until } from '../support/gate.ts';
import { HOSTILE_PAYLOADS, jsonPayload, messengerOf, type Messenger } from '../support/hostile-messages.ts';
import { testPlan } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { valueOf, withRun } from '../support/workflow-lab.ts';

/** Every message of a run and of its stage with everything that can be wrong about it, on the real server. */

let server: TemporalServer;
let messenger: Messenger;

beforeAll(async () => {
  server = await startTemporalServer();
  messenger = messengerOf(server.client);
});

afterAll(async () => {
  await server.close();
});

const RUN = 'hostile';
const STAGE = `${RUN}/initial_implementation`;
/** Names that no message has, among them those of things that every object has. */
const UNKNOWN = ['nosuch', 'constructor', '__proto__', 'toString', '__temporal_nosuch', 'x'.repeat(900)];

/** Evaluations that are held back for as long as the messages take, without a beat. */
const PATIENT = { exec: { ...testPlan().exec, heartbeatTimeoutMs: 600_000, timeoutMs: 600_000 } };

/** A reason, and not the whole of what was sent. */
const REFUSED = /^.{4,5000}$/s;

/** Fewer than the updates that a server lets a workflow have in flight. */
function inParts<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / 5) }, (_, part) => list.slice(5 * part, 5 * part + 5));
}

async function taskFailures(workflowId: string): Promise<(string | null | undefined)[]> {
  const { events } = await server.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) =>
    event.workflowTaskFailedEventAttributes ? [event.workflowTaskFailedEventAttributes.failure?.message] : [],
  );
}

test('nonsense in any message harms no run: signals are counted, updates refused with what is wrong, queries answered', async () => {
  const hold = gate();
  const evaluate = async (input: Parameters<typeof valueOf>[0]): Promise<number> => {
    await hold.passed;
    return valueOf(input);
  };
  await withRun(server, { runId: RUN, plan: PATIENT, activities: { evaluate } }, async ({ lab, handle }) => {
    await until(() => lab.evaluated.length >= 2);
    const seen = new Set<string>();
    let badSignals = 0;
    for (const id of [RUN, STAGE]) {
      const { signals, updates, queries } = await messenger.messagesOf(id);
      for (const name of [...signals, ...updates, ...queries]) seen.add(name);
      for (const [index, { name: how, payload }] of HOSTILE_PAYLOADS.entries()) {
        const unknown = index === 0 ? UNKNOWN : [];
        await Promise.all([...signals, ...unknown].map((name) => messenger.signal(id, name, payload)));
        await Promise.all([...queries, ...unknown].map((name) => messenger.query(id, name, payload)));
        for (const some of inParts([...updates, ...unknown])) {
          const answers = await Promise.all(some.map((name) => messenger.update(id, name, payload)));
          for (const { refused } of answers) expect(refused, `${some.join()} with ${how} to ${id}`).toMatch(REFUSED);
        }
      }
      if (id === STAGE) badSignals = signals.length * HOSTILE_PAYLOADS.length;
    }
    expect(Object.values(MESSAGES).filter((name) => !seen.has(name))).toEqual([]);
    hold.open();
    expect((await handle.result()).outcome).toBe('completed');
    expect(lab.reports[0]?.stages[0]?.outcomes.badSignals).toBe(badSignals);
    expect(lab.events.filter(({ kind }) => kind === 'steered')).toEqual([]);
    for (const id of [RUN, STAGE]) expect(await taskFailures(id), id).toEqual([]);
    // A closed run refuses, and still answers.
    await expect(messenger.signal(RUN, 'pause', jsonPayload({}))).rejects.toThrow();
    await expect(messenger.update(RUN, 'setWorkers', jsonPayload({ workers: 1 }))).rejects.toThrow();
    expect(await handle.query('status')).toMatchObject({ state: 'finished' });
  });
}, 300_000);

test('a message larger than the server takes is refused to its sender, and the run goes on', async () => {
  const hold = gate();
  const evaluate = async (input: Parameters<typeof valueOf>[0]): Promise<number> => {
    await hold.passed;
    return valueOf(input);
  };
  await withRun(server, { runId: 'huge', plan: PATIENT, activities: { evaluate } }, async ({ lab, handle }) => {
    await until(() => lab.evaluated.length >= 2);
    const huge = jsonPayload({ reason: 'x'.repeat(3 * 2 ** 20) });
    await expect(messenger.signal('huge', 'pause', huge)).rejects.toThrow();
    const update = server.client.withDeadline(Date.now() + 5000, () => messenger.update('huge', 'setWorkers', huge));
    await expect(update).rejects.toThrow();
    hold.open();
    expect((await handle.result()).outcome).toBe('completed');
  });
}, 120_000);

describe('a start input', () => {
  test('that does not fit fails each workflow at once with what is wrong', async () => {
    await withRun(server, { runId: 'host' }, async ({ handle }) => {
      const types = ['research', 'initialImplementation', 'baselineTuning', 'creativeResearch', 'ablationStudies', 'nosuch'];
      const starts = types.flatMap((type) => HOSTILE_PAYLOADS.map(({ name, payload }) => ({ type, name, payload })));
      const ends = await Promise.all(
        starts.map(async ({ type, payload }, index) => {
          const id = `start-${index}`;
          await messenger.start({ type, id, taskQueue: 'host.research', payload });
          return server.client.workflow
            .getHandle(id)
            .result()
            .then(
              () => 'it ran',
              (error: unknown) =>
                error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure ? error.cause.type : error,
            );
        }),
      );
      expect(new Set(ends)).toEqual(new Set(['ConfigInvalid']));
      for (const index of [0, ends.length - 1]) expect(await taskFailures(`start-${index}`)).toEqual([]);
      await handle.result();
    });
  }, 120_000);
});
