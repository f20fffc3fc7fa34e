import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historySizes } from '../../bench/support/history-sizes.ts';
import { gate, until } from '../support/gate.ts';
import { stageDefinition, testPlan } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { failed, nodesOf, refOf, runToEnd, valueOf, withRun, type LabActivities } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

const NODES = 150;
const stages = testPlan().stages.map((stage) =>
  stage.name === 'creative_research'
    ? { ...stage, maxNodes: NODES, datasets: ['a'] }
    : { ...stage, maxNodes: 3, datasets: ['a'] },
);

/** A fifth of the experiments fail, and an eighth of the proposals repeat another, so that every count matters. */
const mixed: LabActivities = {
  evaluate: (input) => (valueOf(input) < 0.2 ? failed(input) : valueOf(input)),
  propose: ({ item, stage }) => {
    const number = Number.parseInt(refOf(`${stage} ${item.id}`).slice(0, 6), 16);
    const experiment = refOf(number % 8 === 0 ? `${stage} repeated ${number % 64}` : `${stage} ${item.id}`);
    return { status: 'proposed', experiment, label: `label ${number % 5}`, changed: ['x'], plan: '' };
  },
};

describe('a long stage', () => {
  test('continues as new again and again without a trace in the journal, and carries little', async () => {
    const whole = await runToEnd(server, 'long-whole', { plan: { stages, numWorkers: 4 }, activities: mixed });
    const pieces = await runToEnd(server, 'long-pieces', {
      plan: { stages, numWorkers: 4, maxHistoryEvents: 300 },
      activities: mixed,
    });
    expect(pieces.lab.events).toEqual(whole.lab.events);
    expect(pieces.result.stages).toEqual(whole.result.stages);
    expect(nodesOf(pieces.lab).filter(({ stage }) => stage === 'creative_research')).toHaveLength(NODES);
    const sizes = await historySizes(server.client, 'long-pieces/creative_research');
    expect(sizes.length).toBeGreaterThan(5);
    for (const { events, largestBytes } of sizes) {
      // What is in flight is finished before a stage continues: some dozens of events.
      expect(events).toBeLessThan(300 + 150);
      expect(largestBytes).toBeLessThan(4 * 1024);
    }
    const [first, last] = [sizes[0]?.startBytes ?? 0, sizes.at(-1)?.startBytes ?? 0];
    expect(last - first).toBeGreaterThan(0);
    expect(last - first).toBeLessThan(131 * NODES + 20 * 1024);
  }, 600_000);
});

describe('a run that is cancelled while an event is written', () => {
  test.each(['stage_started', 'node', 'stage_finished'] as const)(
    'has a journal without a hole or a double (%s)',
    async (kind) => {
      const hold = gate();
      let held = 0;
      const activities: LabActivities = {
        recordEvent: async (event) => {
          if (event.kind === kind && event.stage === 'initial_implementation' && held++ === 0) await hold.passed;
        },
      };
      const runId = `cancelled-${kind.replace('_', '-')}`;
      const plan = { stages: testPlan().stages.map(({ name }) => stageDefinition(name, { maxNodes: 3 })) };
      await withRun(server, { runId, plan, activities }, async ({ lab, handle }) => {
        await until(() => held > 0);
        await handle.cancel();
        // The cancellation reaches the stage while the event is still being written.
        const stage = server.client.workflow.getHandle(`${runId}/initial_implementation`);
        await until(async () =>
          ((await stage.fetchHistory()).events ?? []).some(
            (event) => (event.workflowExecutionCancelRequestedEventAttributes ?? null) !== null,
          ),
        );
        hold.open();
        await expect(handle.result()).rejects.toThrow();
        const events = Array.from(lab.events);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq));
        expect(events[0]).toMatchObject({ kind: 'stage_started' });
        expect(events.filter((event) => event.kind === 'stage_finished')).toHaveLength(1);
      });
    },
    300_000,
  );
});
