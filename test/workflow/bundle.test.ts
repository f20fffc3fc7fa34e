import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseInside } from '../support/bundled-workflow.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';

const QUEUE = 'bundle-test';
let server: TemporalServer;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  server = await startTemporalServer();
  const workflowsPath = fileURLToPath(new URL('../support/bundled-workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  worker = await Worker.create({ connection: await server.connectWorker(), taskQueue: QUEUE, workflowBundle });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await server.close();
});

function parseInWorkflow(raw: unknown, workflowId: string): ReturnType<typeof parseInside> {
  return server.client.workflow.execute(parseInside, { taskQueue: QUEUE, workflowId, args: [raw] });
}

test('ISO dates and coerced values parse inside a bundled workflow as they do outside', async () => {
  const raw = { day: '2026-11-29', moment: '2026-11-29T10:00:00Z', count: '12.5', flag: 1, text: 7 };
  const expected = { data: { ...raw, count: 12.5, flag: true, text: '7' }, problems: 0 };
  expect(await parseInside(raw)).toEqual(expected);
  expect(await parseInWorkflow(raw, 'parses')).toEqual(expected);
});

test('what is not a date or a number is refused inside a bundled workflow', async () => {
  const raw = { day: '2026-13-01', moment: 'today', count: 'many', flag: 1, text: '', amount: '1' };
  expect(await parseInside(raw)).toEqual({ data: null, problems: 4 });
  expect(await parseInWorkflow(raw, 'refuses')).toEqual({ data: null, problems: 4 });
});

test('what was done before a SIGKILL of the server is there after its restart, and work goes on', async () => {
  await server.kill();
  await server.start();
  const history = await server.client.workflow.getHandle('parses').fetchHistory();
  expect(history.events?.length).toBeGreaterThan(4);
  expect(await parseInWorkflow({}, 'after a restart')).toMatchObject({ data: null });
});
