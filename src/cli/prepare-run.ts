import { loadConfig } from '../adapters/config-file.ts';
import { withStrategyNames } from '../adapters/own-strategies.ts';
import { readRunInputs } from '../adapters/run-inputs.ts';
import type { ForkRequest } from '../domain/fork.ts';
import type { RunId } from '../domain/ids.ts';
import { planRun } from '../domain/resolve.ts';
import type { ResearchInput, RunPlan } from '../domain/run-plan.ts';
import { checkStrategies } from '../strategies/registry.ts';
import { admitStrategy } from '../workers/own-strategies.ts';
import type { Io } from './io.ts';
import { findLocalDevices } from './local-devices.ts';
import { placeConfig } from './place-config.ts';
import { queuePrefixOf } from './services.ts';
import { requireConformance } from './strategy-check.ts';

/** What a person asked for. */
export interface WantedRun {
  /** Path of the config file. */
  readonly config: string;
  readonly sets: Readonly<Record<string, string | number | boolean>>;
  /** The id of the run, once its task is known. */
  readonly chooseId: (task: string) => RunId;
  /** The node of another run to start from; nothing for a run that begins with nothing. */
  readonly from?: ForkRequest;
}

/** A run that can start. */
export interface PreparedRun {
  /** The plan as this machine would resolve it now; the run resolves it again, from `input` alone. */
  readonly plan: RunPlan;
  readonly input: ResearchInput;
  readonly warnings: readonly string[];
  readonly ignoredKeys: readonly string[];
}

/**
 * Reads and checks everything that a run will need, so that what cannot work is refused here, before
 * anything is started.
 *
 * @throws PlatformFailure `ConfigInvalid`, `StrategyRefused`, `NoDevice`
 */
export async function prepareRun(io: Io, wanted: WantedRun): Promise<PreparedRun> {
  const placed = await placeConfig(io.home, wanted.config);
  // Errors name the file that the person gave, not its copy in the project.
  if (placed.note !== null) await loadConfig(placed.path, wanted.sets);
  const hasSets = Object.keys(wanted.sets).length > 0;
  const from = wanted.from === undefined ? {} : { from: wanted.from };
  const input: ResearchInput = { config: placed.name, ...(hasSets ? { set: { ...wanted.sets } } : {}), ...from };
  const { config, task, ...inputs } = await readRunInputs(io.home, input);
  const queuePrefix = queuePrefixOf(io.env);
  const found = await findLocalDevices(config.devices, queuePrefix, io.env);
  const named = await withStrategyNames(config, async (place, options) => {
    const check = (strategy: Parameters<typeof requireConformance>[0]): Promise<void> => requireConformance(strategy, options);
    return (await admitStrategy({ home: io.home, log: io.err, check }, place)).name;
  });
  const { plan, warnings } = planRun({
    config: named,
    task,
    devices: found.devices,
    runId: wanted.chooseId(task.name),
    queuePrefix,
    searchAttributes: [],
    start: inputs.start,
  });
  checkStrategies(plan);
  return {
    plan,
    input,
    warnings: [...(placed.note === null ? [] : [placed.note]), ...inputs.warnings, ...found.warnings, ...warnings],
    ignoredKeys: inputs.ignoredKeys,
  };
}
