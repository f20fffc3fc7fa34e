import { describe, expect, it } from 'vitest';
import { RunConfig } from '../../../src/domain/config.ts';
import { Device } from '../../../src/domain/device.ts';
import { RunId } from '../../../src/domain/ids.ts';
import { planRun, type PlannedRun } from '../../../src/domain/resolve.ts';
import { RunPlan } from '../../../src/domain/run-plan.ts';
import { Task } from '../../../src/domain/task.ts';

const component = { type: 'int', min: 1, max: 9, default: 3, group: 'g' };
const taskInput = {
  name: 'digits',
  goal: 'be good',
  metric: { name: 'accuracy', direction: 'maximize' },
  datasets: ['one', 'two', 'three'],
  entry: 'train.py',
  plot: 'plot.py',
  family: 'family',
  frozen: ['fixed'],
  components: {
    family: { type: 'choice', values: ['a', 'b'], default: 'a', group: 'g' },
    depth: { ...component, ablated: 1 },
    fixed: { ...component, ablated: 1 },
    single: { ...component, min: 3, max: 3 },
    flag: { type: 'bool', default: true, ablated: false, group: 'g' },
  },
};

function devices(kind: 'cpu' | 'gpu', count: number): Device[] {
  return Array.from({ length: count }, (_, index) =>
    Device.parse({
      name: `${kind}${index}`,
      host: 'here',
      kind,
      queue: `device.here.${kind}${index}`,
      uuid: null,
      memoryMiB: null,
    }),
  );
}

interface Wish {
  readonly config?: Record<string, unknown>;
  readonly task?: Record<string, unknown>;
  readonly devices?: readonly Device[];
}

function planned(wish: Wish = {}): PlannedRun {
  return planRun({
    config: RunConfig.parse(wish.config ?? {}),
    task: Task.parse({ ...taskInput, ...wish.task }),
    devices: wish.devices ?? devices('cpu', 4),
    runId: RunId.parse('digits-1'),
    queuePrefix: 'p.',
    searchAttributes: ['ResearchTask'],
  });
}

const nodes = (config: Record<string, unknown>) => planned({ config }).plan.stages.map((stage) => stage.maxNodes);

describe('planRun', () => {
  it('gives a plan that fits its schema, without a warning for the defaults', () => {
    const { plan, warnings } = planned();
    expect(RunPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    expect(warnings).toEqual([]);
  });

  it('has four stages, each with its operator, limit, datasets, rules and plots', () => {
    const all = ['one', 'two', 'three'];
    expect(planned({ config: { search: { patience: 5, good_nodes: 2 } } }).plan.stages).toEqual([
      {
        name: 'initial_implementation',
        operator: 'improve',
        maxNodes: 20,
        datasets: ['one'],
        rules: [{ rule: 'good_nodes', min: 2 }],
        plots: false,
      },
      {
        name: 'baseline_tuning',
        operator: 'tune',
        maxNodes: 12,
        datasets: ['one'],
        rules: [{ rule: 'patience', nodes: 5 }],
        plots: false,
      },
      {
        name: 'creative_research',
        operator: 'improve',
        maxNodes: 12,
        datasets: all,
        rules: [{ rule: 'patience', nodes: 5 }],
        plots: true,
      },
      { name: 'ablation_studies', operator: 'ablate', maxNodes: 18, datasets: all, rules: [], plots: false },
    ]);
  });

  it('draws no plots for a task without a plot program', () => {
    const task = Task.parse(Object.fromEntries(Object.entries(taskInput).filter(([key]) => key !== 'plot')));
    const { plan } = planRun({
      config: RunConfig.parse({}),
      task,
      devices: devices('cpu', 4),
      runId: RunId.parse('r'),
      queuePrefix: '',
      searchAttributes: [],
    });
    expect(plan.stages.some((stage) => stage.plots)).toBe(false);
  });

  it.each([
    [1, [3, 3, 3, 3]],
    [4, [1, 1, 1, 3]],
    [5, [1, 1, 1, 1]],
  ])('evaluates on all datasets from stage %d on', (from, counts) => {
    expect(
      planned({ config: { search: { all_datasets_from: from } } }).plan.stages.map((stage) => stage.datasets.length),
    ).toEqual(counts);
  });

  it('leaves the budget to the run, which gives each stage what those before left', () => {
    expect(planned().plan.budgetNodes).toBeNull();
    expect(planned({ config: { budget: { nodes: 25 } } }).plan.budgetNodes).toBe(25);
    expect(nodes({ budget: { nodes: 25 } })).toEqual([20, 12, 12, 18]);
  });

  it('names the stages for which the budget leaves nothing', () => {
    expect(planned({ config: { budget: { nodes: 32 } } }).warnings).toEqual([
      'budget.nodes (32) leaves no node for creative_research, ablation_studies, unless the stages before end below their limits.',
    ]);
    expect(planned({ config: { budget: { nodes: 45 } } }).warnings).toEqual([]);
  });

  it('says when a limit on the devices is none', () => {
    expect(planned({ config: { max_devices: 1 } })).toMatchObject({ plan: { maxDevices: 1 }, warnings: [] });
    const devicesOfRun = planned().plan.devices.length;
    expect(planned({ config: { max_devices: devicesOfRun } }).warnings).toEqual([
      expect.stringContaining('max_devices has no effect'),
    ]);
  });

  it('marks what may be tuned and ablated: neither what is frozen, nor what has one value, nor the family', () => {
    const { components } = planned().plan;
    expect(components.filter(({ tunable }) => tunable).map(({ key }) => key)).toEqual(['depth', 'flag']);
    expect(components.filter(({ ablatable }) => ablatable).map(({ key }) => key)).toEqual(['depth', 'flag']);
  });

  it('caps the workers by the GPUs, and says so', () => {
    const { plan, warnings } = planned({ devices: devices('gpu', 2) });
    expect(plan.numWorkers).toBe(2);
    expect(warnings).toEqual(['agent.num_workers is 4, but there are 2 devices: 2 workers.']);
  });

  it('does not cap them by CPU slots, but says what that means', () => {
    const { plan, warnings } = planned({ devices: devices('cpu', 1) });
    expect(plan.numWorkers).toBe(4);
    expect(warnings).toEqual(['agent.num_workers is 4 on 1 device: at most 1 of them evaluate at a time.']);
  });

  it('has one worker when it is sequential, whatever num_workers is', () => {
    expect(planned({ config: { agent: { type: 'sequential' } }, devices: devices('cpu', 1) })).toMatchObject({
      plan: { numWorkers: 1 },
      warnings: [],
    });
  });

  it('hands on the limits in milliseconds', () => {
    const exec = { timeout: '2m', grace: '1s', heartbeat_timeout: 30, max_dispatches: 2 };
    expect(planned({ config: { exec, proposer: { timeout: '3s' } } }).plan.exec).toEqual({
      timeoutMs: 120_000,
      graceMs: 1000,
      proposalTimeoutMs: 3000,
      heartbeatTimeoutMs: 30_000,
      maxDispatches: 2,
    });
  });

  it('warns of stages in which a task leaves nothing to do', () => {
    const components = { family: taskInput.components.family };
    expect(planned({ task: { components, frozen: [] } }).warnings).toEqual([
      expect.stringMatching(/^Stage 2/),
      expect.stringMatching(/^Stage 4/),
    ]);
    const off = { agent: { stages: { stage2_max_iters: 0, stage4_max_iters: 0 } } };
    expect(planned({ task: { components, frozen: [] }, config: off }).warnings).toEqual([]);
  });

  it('warns of choices that need more datasets or components than the task has', () => {
    expect(planned({ task: { datasets: ['one'] }, config: { search: { all_datasets_from: 1 } } }).warnings).toEqual([
      expect.stringContaining('one dataset'),
    ]);
    const components = { ...taskInput.components, flag: { type: 'bool', default: true, group: 'g' } };
    expect(planned({ task: { components }, config: { search: { ablation_pairs: true } } }).warnings).toEqual([
      expect.stringContaining('only one component'),
    ]);
  });

  it('refuses to plan without a device', () => {
    expect(() => planned({ devices: [] })).toThrow(expect.objectContaining({ type: 'NoDevice' }));
  });

  it('refuses a plan that no payload can carry, before the server does', () => {
    const options = { text: 'x'.repeat(70_000) };
    expect(() => planned({ config: { strategy: { options } } })).toThrow(expect.objectContaining({ type: 'StateTooLarge' }));
  });
});
