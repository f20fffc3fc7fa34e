import type { Command } from 'commander';
import { takeFreeDevice } from '../../adapters/free-device.ts';
import { runPaths } from '../../adapters/layout.ts';
import { thisHost } from '../../adapters/list-devices.ts';
import { pythonEnvironment } from '../../adapters/python-environment.ts';
import { newRerun, readRerun, rerunEvaluation, saveRerun, type RerunProgram } from '../../adapters/rerun.ts';
import { loadRun, readEvents } from '../../adapters/run-store.ts';
import type { Device } from '../../domain/device.ts';
import { nodeToRun } from '../../domain/fork.ts';
import type { RunId } from '../../domain/ids.ts';
import { compareResults, toRerun, type Rerunnable, type RerunRecord } from '../../domain/reproduction.ts';
import type { ResolvedRun } from '../../domain/resolved-run.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { listenForInterruption } from '../interruption.ts';
import type { Io } from '../io.ts';
import { findLocalDevices } from '../local-devices.ts';
import { knownRun } from '../run-id.ts';
import { queuePrefixOf } from '../services.ts';
import { shortPath } from '../session.ts';
import { rerunHeadLines, rerunLine } from '../text/rerun-text.ts';
import { parseNode } from './fork.ts';

interface RerunFlags {
  readonly dataset?: string;
  readonly seed?: string;
}

/** `scientist rerun RUN NODE`. */
export function rerunCommand(context: CommandContext): Command {
  return newCommand('rerun <run> <node>', 'run', 'run the evaluations of a node again from its artifacts, and compare')
    .option('--dataset <name>', 'on this dataset instead of those that the node was judged on')
    .option('--seed <number>', 'with this seed instead of the search seed')
    .action(acting(context, (run: string, node: string, flags: RerunFlags) => rerun(context.io, { run, node, flags })));
}

/** A rerun that can begin. */
interface Rerun {
  readonly work: RerunProgram;
  readonly targets: readonly Rerunnable[];
  readonly samePackages: boolean;
}

async function rerun(io: Io, asked: { run: string; node: string; flags: RerunFlags }): Promise<ExitCode> {
  const runId = await knownRun(io.home, asked.run);
  const run = await loadRun(io.home, runId);
  const prepared = await prepare(io, run, asked);
  const interruption = listenForInterruption();
  try {
    const held = await takeFreeDevice(io.home, await candidates(io, run), 'scientist rerun');
    try {
      return await rerunOn(io, prepared, { device: held.device, signal: interruption.signal });
    } finally {
      await held.release();
    }
  } finally {
    interruption.dispose();
  }
}

async function prepare(io: Io, run: ResolvedRun, asked: { node: string; flags: RerunFlags }): Promise<Rerun> {
  const { runId } = run.plan;
  const events = await readEvents(io.home, runId);
  const node = nodeToRun(events, runId, parseNode(asked.node, runId));
  const { dataset, seed } = asked.flags;
  const wish = { ...(dataset === undefined ? {} : { dataset }), ...(seed === undefined ? {} : { seed: parseSeed(seed) }) };
  const targets = toRerun(run, events, node.id, wish);
  const now = await pythonEnvironment(run.environment.python);
  const work = await readRerun(io.home, { ...run, environment: { ...run.environment, ...now } }, node);
  return { work, targets, samePackages: now.packages === run.environment.packages };
}

async function rerunOn(
  io: Io,
  { work, targets, samePackages }: Rerun,
  at: { device: Device; signal: AbortSignal },
): Promise<ExitCode> {
  const { run, node } = work;
  const id = await newRerun(io.home, run.plan.runId);
  rerunHeadLines(work, { device: at.device.name, samePackages }).forEach((line) => {
    io.out(line);
  });
  const evaluations: RerunRecord['evaluations'] = [];
  for (const { dataset, seed, recorded } of targets) {
    const now = await rerunEvaluation(work, { id, device: at.device, dataset, seed }, at.signal);
    if (now === null) return interrupted(io, id);
    const found = { dataset, seed, recorded, now, ...compareResults(recorded, now) };
    evaluations.push(found);
    io.out(rerunLine(found));
  }
  await saveRerun(io.home, id, { v: 1, run: run.plan.runId, node: node.id, device: at.device.name, samePackages, evaluations });
  io.out(`output and figures: ${shortPath(runPaths(io.home, id).root)}`);
  return evaluations.some(({ verdict }) => verdict === 'differs') ? EXIT.internal : EXIT.done;
}

function interrupted(io: Io, id: RunId): ExitCode {
  io.err(
    `interrupted: the program was ended, nothing of it runs any more; what it wrote: ${shortPath(runPaths(io.home, id).root)}`,
  );
  return EXIT.interrupted;
}

/** Devices of the kind that the run used: its own of this host first, then what else this machine has. */
async function candidates(io: Io, { plan }: ResolvedRun): Promise<Device[]> {
  const kind = plan.devices[0]?.kind ?? 'cpu';
  const own = plan.devices.filter((device) => device.host === thisHost() && device.kind === kind);
  const { devices } = await findLocalDevices('auto', queuePrefixOf(io.env), io.env);
  const more = devices.filter((device) => device.kind === kind && !own.some(({ name }) => name === device.name));
  return [...own, ...more];
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (/^\d{1,10}$/.test(text) && seed < 2 ** 31) return seed;
  throw new CliFailure(EXIT.input, `--seed ${text} is no seed`, 'give a whole number from 0 to 2147483647');
}
