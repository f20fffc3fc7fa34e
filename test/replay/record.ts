import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { stageWorkflowId } from '../../src/domain/ids.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { failed, runToEnd, valueOf, type RunOptions } from '../support/workflow-lab.ts';

/**
 * Records the histories that replay.test.ts replays: `npm run record-histories`, once per release, before the
 * release is tagged. Files of earlier releases are kept for ever and never recorded again.
 */

const FOLDER = fileURLToPath(new URL('./histories/', import.meta.url));
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));

/** Runs that between them take every path of the workflows. */
const SCENARIOS: Readonly<Record<string, RunOptions>> = {
  barrier: { activities: { evaluate: (input) => (valueOf(input) < 0.3 ? failed(input) : valueOf(input)) } },
  async: { plan: { schedule: 'async' } },
  tensor: { plan: { strategy: { name: 'tensor_parallel', options: { route: 'target' } }, numWorkers: 3 } },
  late: { plan: { schedule: 'async', async: { staleness: 'guarded', tolerance: 1 } } },
  blame: { activities: { evaluate: (input) => (input.dataset === 'b' ? failed(input) : valueOf(input)) } },
};

const server = await startTemporalServer();
try {
  mkdirSync(FOLDER, { recursive: true });
  for (const [scenario, options] of Object.entries(SCENARIOS)) await record(server, scenario, options);
} finally {
  await server.close();
}

async function record(on: TemporalServer, scenario: string, options: RunOptions): Promise<void> {
  const runId = `recorded-${scenario}`;
  const { result } = await runToEnd(on, runId, options);
  for (const workflowId of [runId, ...result.stages.map(({ stage }) => stageWorkflowId(result.runId, stage))]) {
    const history = await on.client.workflow.getHandle(workflowId).fetchHistory();
    const name = workflowId.replace('recorded-', '').replace('/', '-');
    writeFileSync(
      `${FOLDER}${version}-${name}.json`,
      historyToJSON(history).replaceAll(/"identity": "\d+@[^"]*"/g, '"identity": "worker"'),
    );
  }
}
