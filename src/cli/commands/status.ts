import type { Command } from 'commander';
import { listRuns } from '../../adapters/run-store.ts';
import type { RunStatus, StageStatus } from '../../domain/messages.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { observe, NOTHING_OBSERVED } from '../follow/observer.ts';
import type { Io } from '../io.ts';
import { printJson, StatusOutput } from '../json-output.ts';
import { latestRun, seeRun, type SeenRun } from '../look.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { withRunningServices, type Services } from '../services.ts';
import { statusLines } from '../text/status-text.ts';

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
  if (asJson) printJson(io.out, StatusOutput, outputOf(seen, live));
  else
    statusLines(outputOf(seen, live)).forEach((line) => {
      io.out(line);
    });
  return EXIT.done;
}

interface Live {
  readonly run: RunStatus;
  readonly stage: StageStatus | null;
}

async function liveAnswer(seen: SeenRun, services: Services | null): Promise<Live | null> {
  if (services === null || seen.state !== 'running') return null;
  const { run, stage } = await observe(services.runs, seen.runId, NOTHING_OBSERVED);
  return run === null ? null : { run, stage };
}

function outputOf(seen: SeenRun, live: Live | null): StatusOutput {
  return {
    v: 1,
    runId: seen.runId,
    state: seen.state,
    task: seen.onDisk?.task ?? null,
    metric: seen.onDisk?.metric ?? null,
    stages: [...(seen.onDisk?.progress.stages ?? [])],
    report: seen.report,
    live,
  };
}
