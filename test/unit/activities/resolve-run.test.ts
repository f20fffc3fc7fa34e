import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveRun, type ResolveRunDeps } from '../../../src/activities/resolve-run.ts';
import { getArtifact, getExperiment, putArtifact, putExperiment } from '../../../src/adapters/artifact-store.ts';
import { runPaths } from '../../../src/adapters/layout.ts';
import { loadRun, writeEvent } from '../../../src/adapters/run-store.ts';
import { Device } from '../../../src/domain/device.ts';
import { nodeId, RunId } from '../../../src/domain/ids.ts';
import type { ResearchInput, RunPlan } from '../../../src/domain/run-plan.ts';
import { good, landed } from '../../support/cli-fixtures.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const slot = (number: number): Device =>
  Device.parse({
    name: `cpu${number}`,
    host: 'here',
    kind: 'cpu',
    queue: `p.device.here.cpu${number}`,
    uuid: null,
    memoryMiB: null,
  });

/** A project with this config, whose control worker asks for a run to be resolved. */
function project(config: string, change: Partial<ResolveRunDeps> = {}) {
  const home = { root: temporaryFolder() };
  const edit = (text: string): void => {
    writeFileSync(join(home.root, 'my.yaml'), text);
  };
  edit(config);
  const deps: ResolveRunDeps = {
    home,
    queuePrefix: 'p.',
    hostedDevices: () => Promise.resolve([slot(0), slot(1)]),
    registeredSearchAttributes: () => Promise.resolve(['ResearchTask']),
    deviceWaitMs: 0,
    ...change,
  };
  const resolve = (
    input: Partial<ResearchInput> = {},
    workflowId = 'run-1',
    signal = new AbortController().signal,
  ): Promise<RunPlan> => resolveRun(deps, { config: 'my.yaml', ...input }, { workflowId, signal });
  return { home, edit, resolve };
}

const refused = (type: string, words: string) =>
  expect.objectContaining({
    type,
    message: expect.stringContaining(words) as string,
    fix: expect.stringMatching(/\S/) as string,
  }) as unknown;

describe('resolveRun', () => {
  it('keeps in run.json all that the run was resolved to', async () => {
    const { home, resolve } = project('task: probe\ngoal: be quick\nagent: {num_workers: 2}\nexp_name: x\n');
    const plan = await resolve({ set: { 'exec.timeout': '90s' } });
    const run = await loadRun(home, 'run-1');
    expect(run.plan).toEqual(plan);
    expect(run).toMatchObject({
      config: { exec: { timeout: 90_000 } },
      task: { name: 'probe' },
      goal: 'be quick',
      ignoredKeys: ['exp_name'],
      environment: { dataDir: null, pythonVersion: expect.stringMatching(/^3\./) as string },
    });
    expect(plan).toMatchObject({ runId: 'run-1', queuePrefix: 'p.', searchAttributes: ['ResearchTask'], numWorkers: 2 });
    expect(plan.devices.map(({ name }) => name)).toEqual(['cpu0', 'cpu1']);
    expect(readFileSync(runPaths(home, 'run-1').config, 'utf8')).toContain('# --set exec.timeout="90s"');
    expect(readdirSync(runPaths(home, 'run-1').task)).toContain('task.yaml');
  });

  it('takes the goal of the task when the config has none', async () => {
    const { home, resolve } = project('task: probe');
    await resolve();
    const { goal, task } = await loadRun(home, 'run-1');
    expect(goal).toBe(task.goal);
  });

  it('gives the stored plan again, whatever has changed since (R2)', async () => {
    let hosted = [slot(0), slot(1)];
    const { home, edit, resolve } = project('task: probe', { hostedDevices: () => Promise.resolve(hosted) });
    const plan = await resolve();
    const before = readFileSync(runPaths(home, 'run-1').runFile, 'utf8');
    hosted = [];
    edit('# with a comment\ntask: probe\n');
    expect(await resolve()).toEqual(plan);
    expect(readFileSync(runPaths(home, 'run-1').runFile, 'utf8')).toBe(before);
  });

  it('refuses a run id that another config has', async () => {
    const { home, edit, resolve } = project('task: probe');
    await resolve();
    const before = readFileSync(runPaths(home, 'run-1').runFile, 'utf8');
    edit('task: probe\nseed: 1\n');
    await expect(resolve()).rejects.toThrow(refused('ConfigInvalid', 'There is a run run-1 with another config already'));
    expect(readFileSync(runPaths(home, 'run-1').runFile, 'utf8')).toBe(before);
    expect((await resolve({}, 'run-2')).runId).toBe('run-2');
  });

  it('resolves again when a try before it did not come to its end (R1)', async () => {
    let away = true;
    const registeredSearchAttributes = () => (away ? Promise.reject(new Error('the server is away')) : Promise.resolve([]));
    const { home, resolve } = project('task: probe', { registeredSearchAttributes });
    await expect(resolve()).rejects.toThrow('the server is away');
    expect(existsSync(runPaths(home, 'run-1').runFile)).toBe(false);
    away = false;
    expect(await resolve()).toMatchObject({ runId: 'run-1' });
    expect(existsSync(runPaths(home, 'run-1').runFile)).toBe(true);
  });

  it('leaves nothing in the folder of runs when the config is refused', async () => {
    const { home, resolve } = project('tsak: probe');
    await expect(resolve()).rejects.toThrow(refused('ConfigInvalid', 'the nearest known key is task'));
    expect(existsSync(runPaths(home, 'run-1').root)).toBe(false);
  });

  it.each(['My Run', '../up', '', undefined])('refuses the workflow id %j', async (workflowId) => {
    const { home } = project('task: probe');
    const deps = {
      home,
      queuePrefix: '',
      hostedDevices: () => Promise.resolve([]),
      registeredSearchAttributes: () => Promise.resolve([]),
    };
    const asked = resolveRun(deps, { config: 'my.yaml' }, { workflowId, signal: new AbortController().signal });
    await expect(asked).rejects.toThrow(refused('ConfigInvalid', 'cannot be a run id'));
  });

  it('says how to start a device when none has a worker', async () => {
    const { resolve } = project('task: probe\ndevices: cpu:2\n', { hostedDevices: () => Promise.resolve([]) });
    await expect(resolve()).rejects.toThrow(
      expect.objectContaining({ type: 'NoDevice', fix: 'Start one, in another terminal: scientist up --devices cpu:2' }),
    );
  });

  it('waits for devices whose workers are about to start', async () => {
    let asked = 0;
    const hostedDevices = () => Promise.resolve([slot(0), slot(1)].slice(0, asked++));
    const { resolve } = project('task: probe\ndevices: cpu:2\n', { hostedDevices, deviceWaitMs: 60_000 });
    expect((await resolve()).devices).toHaveLength(2);
    expect(asked).toBe(3);
  });

  it('goes on with the devices that there are, and says which are missing', async () => {
    const { home, resolve } = project('task: probe\ndevices: cpu:4\nagent: {num_workers: 2}\n');
    expect((await resolve()).devices).toHaveLength(2);
    expect((await loadRun(home, 'run-1')).warnings).toEqual(['Without a worker, and left out: 2 CPU slots (devices: cpu:4).']);
  });

  it('stops waiting when it is cancelled', async () => {
    const cancelled = new AbortController();
    const { resolve } = project('task: probe', {
      hostedDevices: () => (cancelled.abort(), Promise.resolve([])),
      deviceWaitMs: 60_000,
    });
    await expect(resolve({}, 'run-1', cancelled.signal)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });

  it('refuses a scripted proposer whose script is not there', async () => {
    const { resolve } = project('task: probe\nproposer: {kind: scripted, script: none.yaml}\n');
    await expect(resolve()).rejects.toThrow(refused('ConfigInvalid', 'there is no such script file'));
  });

  it('divides the cores between the devices, unless the config says how many threads each has', async () => {
    const { home, resolve } = project('task: probe');
    await resolve();
    expect((await loadRun(home, 'run-1')).environment.threads).toBeGreaterThanOrEqual(1);
    await resolve({ set: { 'exec.threads': '3' } }, 'run-2');
    expect((await loadRun(home, 'run-2')).environment.threads).toBe(3);
  });
});

describe('resolveRun of a fork', () => {
  /** A project whose run `old` has one good node with a file of its own. */
  async function forkable() {
    const made = project('task: probe\n');
    await made.resolve({ set: { seed: 4 } }, 'old');
    const file = await putArtifact(made.home, 'old', 'print(1)');
    const experiment = await putExperiment(made.home, 'old', { v: 1, parameters: { x: 0.5 }, files: { 'note.txt': file } });
    await writeEvent(made.home, 'old', landed(0, good(7, 0.5, { experiment })));
    const from = { run: RunId.parse('old'), node: nodeId(7) };
    return { ...made, from, experiment, file };
  }

  it('starts with the node, keeps where it came from, and gives no nodes to the stages before', async () => {
    const { resolve, from, home } = await forkable();
    const plan = await resolve({ from }, 'new');
    expect(plan.start).toMatchObject({ stage: 'baseline_tuning', node: { id: 'n7', metric: 0.5 } });
    expect(plan.stages.map(({ maxNodes }) => maxNodes > 0)).toEqual([false, true, true, true]);
    expect((await loadRun(home, 'new')).forkedFrom).toEqual({ ...from, stage: 'baseline_tuning' });
    expect((await loadRun(home, 'old')).forkedFrom).toBeNull();
  });

  it('has all that it needs in its own folder, and is resolved again when the old run is gone', async () => {
    const { resolve, from, home, experiment, file } = await forkable();
    const input = { config: 'runs/old/config.yaml', from };
    const plan = await resolve(input, 'new');
    rmSync(runPaths(home, 'old').root, { recursive: true });
    expect(await resolve(input, 'new')).toEqual(plan);
    expect(await getExperiment(home, 'new', experiment)).toMatchObject({ parameters: { x: 0.5 } });
    expect((await getArtifact(home, 'new', file)).toString()).toBe('print(1)');
    expect(existsSync(join(runPaths(home, 'new').task, 'probe.py'))).toBe(true);
    await expect(resolve(input, 'other')).rejects.toEqual(refused('ConfigInvalid', 'config'));
  });

  it('is refused under the id of a run that starts from something else', async () => {
    const { resolve, from } = await forkable();
    await resolve({ from }, 'new');
    await expect(resolve({}, 'new')).rejects.toEqual(refused('ConfigInvalid', 'starts from something else'));
    await expect(resolve({ from: { ...from, stage: 'ablation_studies' } }, 'new')).rejects.toEqual(
      refused('ConfigInvalid', 'starts from something else'),
    );
  });

  it('has the task of its source and no other', async () => {
    const { resolve, from } = await forkable();
    await expect(resolve({ from, set: { task: 'digits' } }, 'new')).rejects.toEqual(
      refused('ConfigInvalid', 'has its task probe'),
    );
  });

  it('a run cannot have the name of a rerun', async () => {
    const { resolve } = await forkable();
    await expect(resolve({}, 'old.rerun-1')).rejects.toEqual(refused('ConfigInvalid', 'belong to reruns'));
  });
});
