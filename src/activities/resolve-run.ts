import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { copyExperiment } from '../adapters/fork-run.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { findDevices } from '../adapters/list-devices.ts';
import { withStrategyNames, type StrategyPlace } from '../adapters/own-strategies.ts';
import { pythonPath } from '../adapters/project.ts';
import { pythonEnvironment } from '../adapters/python-environment.ts';
import { keepRunInputs, readRunInputs, type RunInputs } from '../adapters/run-inputs.ts';
import { loadRun, saveRun } from '../adapters/run-store.ts';
import type { ControlActivities } from '../domain/activities.ts';
import type { Device } from '../domain/device.ts';
import { parseDeviceSpec } from '../domain/device-spec.ts';
import { clip, PlatformFailure } from '../domain/failure.ts';
import type { ForkRequest } from '../domain/fork.ts';
import { pickHosted, type HostedChoice } from '../domain/hosted-devices.ts';
import { RunId, rerunOf } from '../domain/ids.ts';
import { planRun } from '../domain/resolve.ts';
import { ResolvedRun } from '../domain/resolved-run.ts';
import { ResearchInput, type RunPlan } from '../domain/run-plan.ts';
import { loadScript } from '../proposers/scripted/load-script.ts';
import { asActivity } from './attempt.ts';

/**
 * Fixes everything that a run needs before its first evaluation: config, task, devices, environment.
 *
 * R1 `run.json` is written last, so it is there only when all else is.
 * R2 A run with a `run.json` is not resolved again: a retry, or a reset of the run to its start, gets the same
 *    plan. Under another config the id is refused, since the folder holds what the first one found out.
 */

/** What the activity needs of its worker. */
export interface ResolveRunDeps {
  readonly home: Home;
  /** Prefix of the queue names. */
  readonly queuePrefix: string;
  /** The devices that have a worker now. */
  readonly hostedDevices: () => Promise<Device[]>;
  /** The search attributes that the server knows. */
  readonly registeredSearchAttributes: () => Promise<string[]>;
  /**
   * The name by which the workflow code knows a strategy of a config; keeps one of the user's own. Throws a retryable
   * failure while the worker's code lacks it. Nothing for a worker that knows the registry only.
   */
  readonly strategyName?: (place: StrategyPlace) => Promise<string>;
  /** How long devices without a worker are waited for, ms; workers start in seconds, or are being restarted. */
  readonly deviceWaitMs?: number;
}

const DEVICE_WAIT_MS = 20_000;
const DEVICE_POLL_MS = 250;

/** Makes the activity that resolves a run; its id is that of the workflow that asks. */
export function makeResolveRun(deps: ResolveRunDeps): ControlActivities['resolveRun'] {
  return asActivity(ResearchInput, (input) => {
    const { info, cancellationSignal } = Context.current();
    return resolveRun(deps, input, { workflowId: info.workflowExecution?.workflowId, signal: cancellationSignal });
  });
}

/** Who asks for a run to be resolved. */
export interface Asking {
  readonly workflowId: string | undefined;
  /** Ends the waiting for devices. */
  readonly signal: AbortSignal;
}

/**
 * Resolves a run and keeps it in its folder.
 *
 * @throws PlatformFailure `ConfigInvalid`, `StrategyRefused`, `NoDevice`, `HostFailed` (no Python, or a worker without
 * the strategy yet), `StateTooLarge`
 */
export async function resolveRun(deps: ResolveRunDeps, input: ResearchInput, asking: Asking): Promise<RunPlan> {
  const runId = parseRunId(asking.workflowId);
  const stored = await storedRun(deps.home, runId);
  const inputs = await readRunInputs(deps.home, input).catch((error: unknown) => {
    // A fork that was resolved has all it needs, also when the run that it came from was removed.
    if (stored !== null && input.from !== undefined && isSameFork(stored, input.from)) return null;
    throw error;
  });
  if (stored !== null) return samePlan(deps.home, stored, { input, inputs });
  if (inputs === null) throw new TypeError('a run without inputs is resolved already');
  const choice = await waitForDevices(deps, inputs.config.devices, asking.signal);
  const run = await newRun(deps, { runId, inputs, choice, from: input.from });
  await keepRunInputs(deps.home, runId, inputs);
  if (run.forkedFrom !== null && inputs.start !== null)
    await copyExperiment(deps.home, run.forkedFrom.run, runId, inputs.start.node.experiment);
  const { kind, script } = inputs.config.proposer;
  if (kind === 'scripted' && script !== null) await loadScript(deps.home, runId, script);
  await saveRun(deps.home, run);
  return run.plan;
}

function parseRunId(workflowId: string | undefined): RunId {
  const parsed = RunId.safeParse(workflowId);
  if (parsed.success && rerunOf(parsed.data) === null) return parsed.data;
  const why = parsed.error?.issues[0]?.message ?? 'such names belong to reruns';
  throw new PlatformFailure(
    'ConfigInvalid',
    `The workflow id ${String(workflowId)} cannot be a run id: ${why}.`,
    'Start the run under another id.',
  );
}

/** The run as it was resolved before (R2); `null` when it was not yet. */
async function storedRun(home: Home, runId: RunId): Promise<ResolvedRun | null> {
  return loadRun(home, runId).catch((error: unknown) => {
    if (error instanceof PlatformFailure && error.type === 'ArtifactMissing') return null;
    throw error;
  });
}

/** The plan of a run that is asked for again; refused when something else is asked for under its id. */
function samePlan(home: Home, stored: ResolvedRun, asked: { input: ResearchInput; inputs: RunInputs | null }): RunPlan {
  const { input, inputs } = asked;
  const { runId } = stored.plan;
  const isSameConfig = inputs === null || JSON.stringify(stored.config) === JSON.stringify(inputs.config);
  if (isSameConfig && isSameFork(stored, input.from)) return stored.plan;
  const what = isSameConfig ? 'that starts from something else' : 'with another config';
  throw new PlatformFailure(
    'ConfigInvalid',
    `There is a run ${runId} ${what} already.`,
    `Start this one under another id, or start that one with ${runPaths(home, runId).config}.`,
  );
}

function isSameFork({ forkedFrom }: ResolvedRun, from: ForkRequest | undefined): boolean {
  if (forkedFrom === null || from === undefined) return forkedFrom === null && from === undefined;
  const isSameStage = from.stage === undefined || from.stage === forkedFrom.stage;
  return forkedFrom.run === from.run && forkedFrom.node === from.node && isSameStage;
}

async function newRun(
  deps: ResolveRunDeps,
  { runId, inputs, choice, from }: { runId: RunId; inputs: RunInputs; choice: HostedChoice; from: ForkRequest | undefined },
): Promise<ResolvedRun> {
  const { config, task, dataDir, start } = inputs;
  const { devices, missing } = choice;
  const searchAttributes = await deps.registeredSearchAttributes();
  const named = await withStrategyNames(config, deps.strategyName ?? registryOnly);
  const facts = { task, devices, runId, queuePrefix: deps.queuePrefix, searchAttributes, start };
  const { plan, warnings } = planRun({ ...facts, config: named });
  const lacking =
    missing.length === 0 ? [] : [`Without a worker, and left out: ${missing.join(', ')} (devices: ${config.devices}).`];
  return ResolvedRun.parse({
    v: 1,
    plan,
    config,
    task,
    forkedFrom: from === undefined || start === null ? null : { run: from.run, node: from.node, stage: start.stage },
    goal: config.goal ?? task.goal,
    warnings: [...inputs.warnings, ...lacking, ...warnings].slice(0, 100).map((warning) => clip(warning, 500)),
    ignoredKeys: inputs.ignoredKeys,
    environment: {
      ...(await pythonEnvironment(pythonPath())),
      dataDir,
      threads: config.exec.threads ?? Math.max(1, Math.floor(availableParallelism() / devices.length)),
    },
  } satisfies Record<keyof ResolvedRun, unknown>);
}

function registryOnly({ name, module }: StrategyPlace): Promise<string> {
  if (typeof module !== 'string') return Promise.resolve(name);
  return Promise.reject(
    new PlatformFailure('StrategyRefused', `${module}: this worker takes no strategies of users`, 'use scientist up'),
  );
}

async function waitForDevices(deps: ResolveRunDeps, text: string, signal: AbortSignal): Promise<HostedChoice> {
  const spec = parseDeviceSpec(text);
  const found = spec.kind === 'gpu' ? await findDevices() : { gpus: [] };
  const deadline = Date.now() + (deps.deviceWaitMs ?? DEVICE_WAIT_MS);
  for (;;) {
    const choice = pickHosted(spec, await deps.hostedDevices(), found);
    if (choice.devices.length > 0 && choice.missing.length === 0) return choice;
    if (Date.now() >= deadline) return orNoDevice(choice, text);
    await setTimeout(DEVICE_POLL_MS, undefined, { signal });
  }
}

function orNoDevice(choice: HostedChoice, text: string): HostedChoice {
  if (choice.devices.length > 0) return choice;
  const all = text === 'auto' ? 'No device' : `No device of devices: ${text}`;
  throw new PlatformFailure('NoDevice', `${all} has a worker.`, `Start one, in another terminal: scientist up --devices ${text}`);
}
