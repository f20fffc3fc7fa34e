import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getExperiment, putExperiment } from '../../src/adapters/artifact-store.ts';
import { evaluationId } from '../../src/adapters/evaluation-hash.ts';
import { runPaths, type Home } from '../../src/adapters/layout.ts';
import { identityOf } from '../../src/adapters/process-identity.ts';
import { readProgramOf } from '../../src/adapters/program.ts';
import { PACKAGE_ROOT, pythonPath } from '../../src/adapters/project.ts';
import type { AttemptJob } from '../../src/adapters/run-attempt.ts';
import { saveRun } from '../../src/adapters/run-store.ts';
import { ResolvedConfig } from '../../src/domain/config.ts';
import { Device } from '../../src/domain/device.ts';
import { EvaluateInput } from '../../src/domain/evaluation.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import { ResolvedRun } from '../../src/domain/resolved-run.ts';
import { testPlan } from './plan.ts';
import { temporaryFolder } from './temporary-folder.ts';

export { until } from './gate.ts';

/** Runs with one small program of test/fixtures/programs, made to be evaluated for real. */

const PROGRAMS = join(PACKAGE_ROOT, 'test', 'fixtures', 'programs');

/** What a test wants of its run. */
export interface RunWish {
  /** A file of test/fixtures/programs. */
  readonly program: string;
  readonly parameters?: Record<string, ParameterValue>;
  /** Changes to `exec` of the config; durations in milliseconds. */
  readonly exec?: Record<string, unknown>;
  readonly home?: Home;
  readonly runId?: string;
  readonly dataDir?: string;
}

/** A run on disk, and what the evaluation activity is told of its one node. */
export interface ReadyRun {
  readonly home: Home;
  readonly run: ResolvedRun;
  readonly input: EvaluateInput;
  readonly device: Device;
}

/** Makes a run on disk whose entry and plot program is the wished one. */
export async function readyRun(wish: RunWish): Promise<ReadyRun> {
  const home = wish.home ?? { root: temporaryFolder() };
  const run = resolvedRun(wish);
  const { runId } = run.plan;
  await saveRun(home, run);
  mkdirSync(runPaths(home, runId).task, { recursive: true });
  for (const name of [wish.program, 'plot.py'])
    copyFileSync(join(PROGRAMS, wish.program), join(runPaths(home, runId).task, name));
  const experiment = await putExperiment(home, runId, { v: 1, parameters: wish.parameters ?? {}, files: {} });
  const input = EvaluateInput.parse({
    runId,
    stage: 'initial_implementation',
    node: 'n1',
    experiment,
    kind: 'measure',
    dataset: 'a',
    seed: 3,
    dispatch: 1,
  });
  return { home, run, input, device: deviceNamed('cpu0') };
}

/** A CPU slot of this host. */
export function deviceNamed(name: string): Device {
  return Device.parse({ name, host: 'here', kind: 'cpu', queue: `device.here.${name}`, uuid: null, memoryMiB: null });
}

/** The attempt 1.1 of a run's evaluation, ready to be made. */
export async function jobOf({ home, run, input, device }: ReadyRun): Promise<AttemptJob> {
  const program = await readProgramOf(home, run, { v: 1, parameters: await parametersOf(home, input), files: {} });
  const evaluation = await evaluationId({ run, input, program, deviceKind: device.kind });
  return { home, device, run, input, program, evaluation, attempt: '1.1', activity: null };
}

/** The folder of an attempt. */
export function attemptFolder(job: AttemptJob): string {
  return runPaths(job.home, job.input.runId).attempt(job.evaluation, job.attempt);
}

/** Whether a file is there and holds `text`. */
export function says(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').includes(text);
}

/** Whether a process with this pid runs; one that is dead and not yet collected does not. */
export function isRunning(pid: number): boolean {
  return identityOf(pid) !== null;
}

async function parametersOf(home: Home, input: EvaluateInput): Promise<Record<string, ParameterValue>> {
  return (await getExperiment(home, input.runId, input.experiment)).parameters;
}

function resolvedRun(wish: RunWish): ResolvedRun {
  const plan = testPlan(wish.runId === undefined ? {} : { runId: ResolvedRun.shape.plan.shape.runId.parse(wish.runId) });
  const names = Object.keys(wish.parameters ?? {});
  const components = names.map((name) => [name, component(wish.parameters?.[name] ?? 0)]);
  return ResolvedRun.parse({
    v: 1,
    plan,
    config: ResolvedConfig.parse({ task: 'probe', exec: { timeout: 60_000, grace: 1000, ...wish.exec } }),
    task: {
      name: 'probe',
      goal: 'a program of a test',
      metric: plan.metric,
      datasets: ['a', 'b'],
      entry: wish.program,
      plot: 'plot.py',
      components: Object.fromEntries(components),
    },
    goal: 'a program of a test',
    warnings: [],
    ignoredKeys: [],
    environment: { python: pythonPath(), pythonVersion: '3.11', packages: 'none', dataDir: wish.dataDir ?? null, threads: 1 },
  });
}

function component(value: ParameterValue): object {
  return { type: 'choice', values: [value], default: value, group: 'all' };
}
