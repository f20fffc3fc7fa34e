import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STAGE_NAMES } from '../../src/domain/ids.ts';
import { stageDefinition, testPlan } from '../support/plan.ts';
import { startTemporalServer, type TemporalServer } from '../support/temporal-server.ts';
import { failed, refOf, nodesOf, runToEnd, valueOf, type LabActivities, type RunOptions } from '../support/workflow-lab.ts';

let server: TemporalServer;

beforeAll(async () => {
  server = await startTemporalServer();
});

afterAll(async () => {
  await server.close();
});

const finishedRun = (runId: string, options: RunOptions = {}) => runToEnd(server, runId, options);

describe('a run', () => {
  test('goes through the four stages in order, carries the best node on, and reports once', async () => {
    const { lab, result } = await finishedRun('four-stages');
    expect(result.outcome).toBe('completed');
    expect(result.stages.map(({ stage }) => stage)).toEqual(STAGE_NAMES);
    expect(lab.reports).toHaveLength(1);
    const started = lab.events.filter((event) => event.kind === 'stage_started');
    expect(started.map(({ stage }) => stage)).toEqual(STAGE_NAMES);
    expect(started.map(({ carried }) => carried)).toEqual([null, ...result.stages.slice(0, 3).map(({ best }) => best?.id)]);
  });

  test('numbers its events without gaps, and a parent comes before its children', async () => {
    const { lab } = await finishedRun('numbered');
    expect(lab.events.map(({ seq }) => seq)).toEqual(lab.events.map((_, index) => index));
    const seen = new Set<string>();
    for (const { parent, id } of nodesOf(lab)) {
      if (parent !== null) expect(seen).toContain(parent);
      seen.add(id);
    }
  });

  test('makes exactly the drafts it was told to, and replicates the best on seeds that differ', async () => {
    const { lab } = await finishedRun('drafts', { plan: { search: { ...testPlan().search, numDrafts: 4 } } });
    expect(nodesOf(lab).filter(({ operator }) => operator === 'draft')).toHaveLength(4);
    const replicas = lab.events.filter((event) => event.kind === 'replica' && event.stage === 'initial_implementation');
    const seeds = replicas.flatMap((event) => (event.kind === 'replica' ? event.evaluations.map(({ seed }) => seed) : []));
    expect(new Set(seeds).size).toBe(2);
    expect(seeds).not.toContain(1);
  });

  test('evaluates on all datasets from stage 3 on and draws figures of the best and of the base', async () => {
    const { lab, result } = await finishedRun('datasets');
    const inStage = (stage: string) =>
      new Set(lab.evaluated.filter((input) => input.stage === stage).map(({ dataset }) => dataset));
    expect(inStage('baseline_tuning')).toEqual(new Set(['a']));
    expect(inStage('creative_research')).toEqual(new Set(['a', 'b']));
    const plotted = lab.events.flatMap((event) => (event.kind === 'plot' ? [event.node] : []));
    expect(plotted[0]).toBe(result.stages[2]?.best?.id);
  });

  test('ends with no_good_node and a report when nothing in stage 1 works', async () => {
    const { lab, result } = await finishedRun('hopeless', { activities: { evaluate: (input) => failed(input) } });
    expect(result).toMatchObject({ outcome: 'no_good_node', best: null });
    expect(result.stages).toHaveLength(1);
    expect(lab.reports[0]?.outcome).toBe('no_good_node');
    expect(nodesOf(lab).every((node) => node.status === 'buggy' && node.reason === 'exception')).toBe(true);
  });

  test('repairs buggy leaves with a label that is kept, never deeper than max_debug_depth', async () => {
    const isDraft = (input: { experiment: string }) =>
      [0, 1, 2].some((ordinal) => refOf(`draft#${ordinal}`) === input.experiment);
    const evaluate: LabActivities['evaluate'] = (input) =>
      isDraft(input) || input.stage !== 'initial_implementation' ? valueOf(input) : failed(input);
    const plan = {
      search: { ...testPlan().search, debugProb: 1, maxDebugDepth: 2 },
      stages: testPlan().stages.map((stage, index) =>
        index === 0
          ? stageDefinition('initial_implementation', { maxNodes: 12, rules: [{ rule: 'good_nodes', min: 4 }] })
          : stage,
      ),
    };
    const { lab } = await finishedRun('repairs', { plan, activities: { evaluate } });
    const debugged = nodesOf(lab).filter(({ operator, stage }) => operator === 'debug' && stage === 'initial_implementation');
    expect(Math.max(...debugged.map(({ debugDepth }) => debugDepth))).toBe(2);
    const labelOf = new Map(nodesOf(lab).map(({ id, label }) => [id, label]));
    for (const { parent } of debugged) expect(parent !== null && labelOf.has(parent)).toBe(true);
  });
});

describe('equal runs', () => {
  const waitFor = (what: string) => Number.parseInt(refOf(what).slice(0, 4), 16) % 90;
  /** Waits that differ from run to run but never decide anything. */
  const shaken = (shift: number): LabActivities => ({
    evaluate: async (input) => {
      await new Promise((resolve) => setTimeout(resolve, waitFor(`evaluate ${shift} ${input.experiment}`)));
      return valueOf(input) < 0.2 ? failed(input) : valueOf(input);
    },
    propose: async (input) => {
      await new Promise((resolve) => setTimeout(resolve, waitFor(`propose ${shift} ${input.item.id}`)));
      // Few different experiments, so that many are proposed twice, some of them in one round.
      const item = `${input.stage}/${Number.parseInt(refOf(input.item.id).slice(0, 4), 16) % 4}`;
      return { status: 'proposed', experiment: refOf(item), label: 'x', changed: [], plan: '' };
    },
  });

  test('have equal journals at a barrier, whatever their timing', async () => {
    const first = await finishedRun('timing-1', { plan: { numWorkers: 4 }, activities: shaken(1) });
    const second = await finishedRun('timing-2', { plan: { numWorkers: 4 }, activities: shaken(5) });
    expect(first.lab.events.some((event) => event.kind === 'dropped' && event.reason === 'duplicate')).toBe(true);
    expect(second.lab.events).toEqual(first.lab.events);
  });

  test('have equal journals with and without continue-as-new', async () => {
    const whole = await finishedRun('in-one-piece');
    const pieces = await finishedRun('in-pieces', { plan: { maxHistoryEvents: 50 } });
    const histories = await server.client.workflowService.listWorkflowExecutions({
      namespace: 'default',
      query: 'WorkflowId STARTS_WITH "in-pieces/"',
    });
    expect(histories.executions.length).toBeGreaterThan(4);
    expect(pieces.lab.events).toEqual(whole.lab.events);
  });

  test('make the same number of nodes in the async schedule, each evaluated once', async () => {
    const { lab, result } = await finishedRun('asynchronous', { plan: { schedule: 'async' }, activities: shaken(3) });
    expect(result.outcome).toBe('completed');
    for (const { stage, outcomes } of result.stages) {
      const limit = testPlan().stages.find(({ name }) => name === stage)?.maxNodes ?? 0;
      expect(outcomes.dispatched).toBeLessThanOrEqual(limit);
    }
    const keys = lab.evaluated.map(({ stage, node, kind, dataset, seed }) => [stage, node, kind, dataset, seed].join('/'));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
