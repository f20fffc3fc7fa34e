import type { Command } from 'commander';
import { listRuns, loadRun } from '../../adapters/run-store.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { RunId } from '../../domain/ids.ts';
import { MESSAGES } from '../../domain/messages.ts';
import { RetryStagePayload } from '../../domain/steering.ts';
import { listenForInterruption } from '../interruption.ts';
import type { Io } from '../io.ts';
import { findLocalDevices } from '../local-devices.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { queuePrefixOf, startServices, type Services } from '../services.ts';
import { followToEnd } from '../session.ts';
import { payloadOf, refuseEnded, updateRun, type Target } from '../steer-run.ts';

/** `scientist resume RUN`. */
export function resumeCommand(context: CommandContext): Command {
  return newCommand('resume <run>', 'run', 'go on with a run after Ctrl-C or any crash, and follow it').action(
    acting(context, (run: string) => resume(context.io, run)),
  );
}

/** `scientist retry RUN STAGE`. */
export function retryCommand(context: CommandContext): Command {
  return newCommand('retry <run> <stage>', 'run', 'begin a stage that failed anew, and follow the run').action(
    acting(context, (run: string, stage: string) => {
      const payload = payloadOf(RetryStagePayload, { stage });
      return resume(context.io, run, async (to) => {
        await refuseEnded(context.io, to);
        await updateRun(to, { name: MESSAGES.retryStage, payload });
      });
    }),
  );
}

/** Hosts a run, does `first` with it, and follows it. */
async function resume(io: Io, text: string, first?: (to: Target) => Promise<void>): Promise<ExitCode> {
  const runId = parseRunId(text);
  const interruption = listenForInterruption();
  // The devices are known only once the run is resolved, and a finished run needs none: server first.
  const services = await startServices(io, { devices: [], queuePrefix: queuePrefixOf(io.env), signal: interruption.signal });
  try {
    const description = await services.runs.describe(runId);
    if (description === null) throw unknownRun(runId, await listRuns(io.home));
    await first?.({ runId, services });
    if (description.closedAt !== null)
      return await followToEnd(io, { runId, services, signal: interruption.signal, tellPast: false });
    return await hostAndFollow(io, { runId, services, signal: interruption.signal });
  } finally {
    await services.close();
    interruption.dispose();
  }
}

interface Resumed {
  readonly runId: RunId;
  readonly services: Services;
  readonly signal: AbortSignal;
}

async function hostAndFollow(io: Io, resumed: Resumed): Promise<ExitCode> {
  const hosted = await hostDevicesOf(io, resumed);
  try {
    return await followToEnd(io, { ...resumed, tellPast: false });
  } finally {
    await hosted.close();
  }
}

/** Hosts the devices of the run's plan; a run that was left before it was resolved takes what there is. */
async function hostDevicesOf(io: Io, { runId, signal }: Resumed): Promise<Services> {
  if ((await listRuns(io.home)).includes(runId)) {
    const { devices, queuePrefix } = (await loadRun(io.home, runId)).plan;
    return startServices(io, { devices, queuePrefix, signal });
  }
  const queuePrefix = queuePrefixOf(io.env);
  const { devices } = await findLocalDevices('auto', queuePrefix, io.env);
  return startServices(io, { devices, queuePrefix, signal });
}
