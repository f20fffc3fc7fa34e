import type { Command } from 'commander';
import { runDiskUse } from '../../adapters/disk-use.ts';
import { listRuns } from '../../adapters/run-store.ts';
import type { DiskUse } from '../../domain/disk-use.ts';
import { stageWorkflowId, type RunId, type StageName } from '../../domain/ids.ts';
import type { RunStatus, StageStatus } from '../../domain/messages.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { observe, NOTHING_OBSERVED } from '../follow/observer.ts';
import type { Io } from '../io.ts';
import { printJson, StatusOutput } from '../json-output.ts';
import { latestRun, seeRun, type SeenRun } from '../look.ts';
import type { RetryingActivity } from '../retrying.ts';
import { isAway, type RunClient } from '../run-client.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { withRunningServices, type Services } from '../services.ts';
import { statusLines } from '../text/status-text.ts';

/** Files that are counted for the use of the disk: seconds on a slow disk; of more, it says `more than`. */
const MOST_ENTRIES = 200_000;

/** `scientist status [RUN]`. */
export function statusCommand(context: CommandContext): Command {
  return newCommand('status [run]', 'look', 'show where a run is (the latest one by default)')
    .option('--json', 'as JSON')
    .action(acting(context, (run: string | undefined, flags: { json?: true }) => status(context.io, run, flags.json === true)));
}

async function status(io: Io, text: string | undefined, asJson: boolean): Promise<ExitCode> {
  const wanted = text ?? (await latestRun(io.home));
  if (wanted === null) throw new CliFailure(EXIT.input, 'there is no run yet', 'start one with: scientist run config/quick.yaml');
  const runId = parseRunId(wanted);
  const { seen, live } = await withRunningServices(io, async (services) => {
    const run = await seeRun(io.home, runId, services);
    return { seen: run, live: run === null ? null : await liveAnswer(run, services) };
  });
  if (seen === null) throw unknownRun(runId, await listRuns(io.home));
  const output = outputOf(seen, live, seen.onDisk === null ? null : await runDiskUse(io.home, runId, MOST_ENTRIES));
  if (asJson) printJson(io.out, StatusOutput, output);
  else
    statusLines(output).forEach((line) => {
      io.out(line);
    });
  return EXIT.done;
}

interface Live {
  readonly run: RunStatus;
  readonly stage: StageStatus | null;
  readonly retrying: RetryingActivity[];
}

async function liveAnswer(seen: SeenRun, services: Services | null): Promise<Live | null> {
  // A run without its run.json may be one that waits for a person who puts that back.
  if (services === null || (seen.state !== 'running' && seen.state !== 'unresolved')) return null;
  const { run, stage } = await observe(services.runs, seen.runId, NOTHING_OBSERVED);
  if (run === null) return null;
  return { run, stage, retrying: await retryingIn(services.runs, seen.runId, run.stage) };
}

/** What the run and its stage try again; a server that is away tries nothing. */
async function retryingIn(runs: RunClient, runId: RunId, stage: StageName | null): Promise<RetryingActivity[]> {
  const ids = [runId, ...(stage === null ? [] : [stageWorkflowId(runId, stage)])];
  try {
    return (await Promise.all(ids.map((id) => runs.retrying(id)))).flat();
  } catch (error) {
    if (isAway(error)) return [];
    throw error;
  }
}

function outputOf(seen: SeenRun, live: Live | null, disk: DiskUse | null): StatusOutput {
  return {
    v: 1,
    runId: seen.runId,
    state: seen.state,
    task: seen.onDisk?.task ?? null,
    metric: seen.onDisk?.metric ?? null,
    forkedFrom: seen.onDisk?.forkedFrom ?? null,
    stages: [...(seen.onDisk?.progress.stages ?? [])],
    report: seen.report,
    live: live === null ? null : { run: live.run, stage: live.stage },
    retrying: live?.retrying ?? [],
    disk,
  };
}
