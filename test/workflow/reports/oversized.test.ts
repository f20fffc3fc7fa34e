import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeEvaluate } from '../../../src/activities/evaluate.ts';
import { makeRecordEvent } from '../../../src/activities/record-event.ts';
import type { RecordEventInput } from '../../../src/domain/messages.ts';
import { readyRun } from '../../support/evaluations.ts';
import { startTemporalServer, type TemporalServer } from '../../support/temporal-server.ts';
import { withRun } from '../../support/workflow-lab.ts';

/** Texts of megabytes, wherever one can come in (features#723, pydantic-ai#7164). */

/** More than the server takes as one payload. */
const TOO_LARGE = 'x'.repeat(3_000_000);
/** Less than that, and more than any of ours may be. */
const LARGE = 'x'.repeat(1_900_000);
let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

describe('what is too large', () => {
  test('a start input of any size fails at once with a type', async () => {
    await withRun(server, { runId: 'oversized' }, async ({ handle, lab }) => {
      const start = (text: string) =>
        server.client.workflow.start('research', {
          taskQueue: 'oversized.research',
          workflowId: `oversized-${text.length}`,
          args: [{ config: text }],
        });
      await expect(start(TOO_LARGE)).rejects.toThrow();
      await expect((await start(LARGE)).result()).rejects.toMatchObject({ cause: { type: 'ConfigInvalid' } });
      await expect(handle.signal('pause', { reason: TOO_LARGE })).rejects.toThrow();
      await handle.signal('pause', { reason: LARGE });
      await expect(handle.executeUpdate('setWorkers', { args: [{ workers: 1, reason: LARGE }] })).rejects.toThrow();
      expect((await handle.result()).outcome).toBe('completed');
      expect(JSON.stringify(lab.events).length).toBeLessThan(LARGE.length);
    });
  });

  test('megabytes that a program says in its failure give a small result', async () => {
    const ready = await readyRun({ program: 'huge-failure.py' });
    const result = await new MockActivityEnvironment().run(makeEvaluate(ready), ready.input);
    expect(result).toMatchObject({ status: 'failed' });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(4096);
  });

  test('an event that is too large is refused for good', async () => {
    const ready = await readyRun({ program: 'value.py' });
    const event = { kind: 'steered', seq: 0, stage: 'baseline_tuning', message: TOO_LARGE };
    const input = { runId: ready.input.runId, event } as RecordEventInput;
    await expect(makeRecordEvent(ready)(input)).rejects.toMatchObject({ type: 'InvariantBroken', nonRetryable: true });
  });
});
