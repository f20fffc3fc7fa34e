import type { Command } from 'commander';
import { removedRunIds } from '../../adapters/clean-up.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { controlQueue } from '../../domain/device.ts';
import type { RunId } from '../../domain/ids.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { listenForInterruption, type Interruption } from '../interruption.ts';
import type { Io } from '../io.ts';
import { PlanOutput, printJson } from '../json-output.ts';
import { prepareRun, type PreparedRun } from '../prepare-run.ts';
import { chooseRunId, parseRunId } from '../run-id.ts';
import { requireServices, startServices, type Services } from '../services.ts';
import { followToEnd } from '../session.ts';
import { collectSet } from '../sets.ts';
import { estimateEvaluations, planLines } from '../text/plan-text.ts';

interface RunFlags extends StartFlags {
  readonly runId?: string;
  readonly set: Readonly<Record<string, string>>;
  readonly devices?: string;
}

/** `scientist run CONFIG`. */
export function runCommand(context: CommandContext): Command {
  return newCommand('run <config>', 'run', 'start a research run and follow it to its end')
    .option('--run-id <id>', 'id of the run instead of <task>-<yyyymmdd>-<n>')
    .option('--set <key=value>', 'change a key of the config, e.g. agent.num_workers=2; may be repeated', collectSet, {})
    .option('--devices <spec>', 'devices instead of the config’s: auto, cpu:2, gpu:0,1')
    .option('--detach', 'start it and leave; needs a running scientist up, or an outside server')
    .option('--dry-run', 'show the resolved plan and start nothing')
    .option('--json', 'with --dry-run: the plan as JSON')
    .action(acting(context, (config: string, flags: RunFlags) => run(context.io, config, flags)));
}

async function run(io: Io, config: string, flags: RunFlags): Promise<ExitCode> {
  const [taken, gone] = await Promise.all([listRuns(io.home), removedRunIds(io.home)]);
  const given = flags.runId === undefined ? null : parseRunId(flags.runId);
  if (given !== null && taken.includes(given)) throw existing(given);
  const sets = flags.devices === undefined ? flags.set : { ...flags.set, devices: flags.devices };
  const prepared = await prepareRun(io, {
    config,
    sets,
    chooseId: (task) => given ?? chooseRunId(task, new Date(), [...taken, ...gone]),
  });
  return startPrepared(io, prepared, flags);
}

/** What is done with a run that can start. */
export interface StartFlags {
  readonly detach?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Starts a run and follows it, unless it is only shown or left alone. */
export async function startPrepared(io: Io, prepared: PreparedRun, flags: StartFlags): Promise<ExitCode> {
  prepared.warnings.forEach((warning) => {
    io.err(`warning: ${warning}`);
  });
  if (flags.dryRun === true) return showPlan(io, prepared, flags.json === true);
  return flags.detach === true ? startDetached(io, prepared) : startAndFollow(io, prepared);
}

function showPlan(io: Io, prepared: PreparedRun, asJson: boolean): ExitCode {
  const { plan, warnings, ignoredKeys } = prepared;
  if (asJson)
    printJson(io.out, PlanOutput, {
      v: 1,
      plan,
      warnings: [...warnings],
      ignoredKeys: [...ignoredKeys],
      evaluations: estimateEvaluations(plan),
    });
  else
    planLines(prepared).forEach((line) => {
      io.out(line);
    });
  return EXIT.done;
}

async function startDetached(io: Io, prepared: PreparedRun): Promise<ExitCode> {
  const services = await requireServices(
    io,
    'run it without --detach, or start the services first in another terminal: scientist up',
  );
  try {
    await start(services, prepared);
    io.out(prepared.plan.runId);
    io.err(`run ${prepared.plan.runId} goes on by itself; see it with: scientist watch ${prepared.plan.runId}`);
    return EXIT.done;
  } finally {
    await services.close();
  }
}

async function startAndFollow(io: Io, prepared: PreparedRun): Promise<ExitCode> {
  const interruption = listenForInterruption();
  const { devices, queuePrefix } = prepared.plan;
  try {
    const services = await startServices(io, { devices, queuePrefix, signal: interruption.signal });
    try {
      return await startUnlessInterrupted(io, { prepared, services, interruption });
    } finally {
      await services.close();
    }
  } finally {
    interruption.dispose();
  }
}

interface Starting {
  readonly prepared: PreparedRun;
  readonly services: Services;
  readonly interruption: Interruption;
}

async function startUnlessInterrupted(io: Io, { prepared, services, interruption }: Starting): Promise<ExitCode> {
  const { runId } = prepared.plan;
  if (interruption.signal.aborted) {
    io.err('interrupted before the run was started');
    return EXIT.interrupted;
  }
  await start(services, prepared);
  io.out(
    `run ${runId} on ${services.server.address}${services.server.webUi === null ? '' : `, Web UI ${services.server.webUi}`}`,
  );
  return followToEnd(io, { runId, services, signal: interruption.signal, tellPast: true });
}

async function start(services: Services, { plan, input }: PreparedRun): Promise<void> {
  const isNew = await services.runs.start({
    runId: plan.runId,
    input,
    taskQueue: controlQueue(plan.queuePrefix),
    priority: plan.priority,
    summary: `${plan.task}: ${plan.metric.direction} ${plan.metric.name}`,
  });
  if (!isNew) throw existing(plan.runId);
}

/** The refusal of an id that another run has. */
export function existing(runId: RunId): CliFailure {
  return new CliFailure(
    EXIT.input,
    `there is a run ${runId} already`,
    `go on with it: scientist resume ${runId}; or choose another --run-id`,
  );
}
