import type { Command } from 'commander';
import { runDiskUse } from '../../adapters/disk-use.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { bytesText, type DiskUse } from '../../domain/disk-use.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { currentStage } from '../follow/progress.ts';
import type { Io } from '../io.ts';
import { ListOutput, printJson } from '../json-output.ts';
import { seeRun, type SeenRun } from '../look.ts';
import { parseRunId } from '../run-id.ts';
import { withRunningServices } from '../services.ts';
import { bestCell } from '../text/status-text.ts';
import { tableLines } from '../text/table.ts';

/** Files of a run that are counted for the use of the disk; of more, it says `>`. */
const MOST_ENTRIES = 20_000;

/** `scientist list`. */
export function listCommand(context: CommandContext): Command {
  return newCommand('list', 'look', 'list all runs')
    .option('--json', 'as JSON')
    .action(acting(context, (flags: { json?: true }) => list(context.io, flags.json === true)));
}

async function list(io: Io, asJson: boolean): Promise<ExitCode> {
  const ids = await listRuns(io.home);
  const seen = await withRunningServices(io, async (services) => {
    const runs: Listed[] = [];
    for (const id of ids) {
      const run = await seeRun(io.home, parseRunId(id), services);
      if (run !== null) runs.push({ run, disk: run.onDisk === null ? null : await runDiskUse(io.home, id, MOST_ENTRIES) });
    }
    return runs;
  });
  if (asJson) printJson(io.out, ListOutput, { v: 1, runs: seen.map(outputOf) });
  else if (seen.length === 0) io.out('there is no run yet; start one with: scientist run config/quick.yaml');
  else
    tableLines(seen.map(cellsOf)).forEach((line) => {
      io.out(line);
    });
  return EXIT.done;
}

interface Listed {
  readonly run: SeenRun;
  readonly disk: DiskUse | null;
}

function outputOf({ run, disk }: Listed): ListOutput['runs'][number] {
  const stages = run.onDisk?.progress.stages ?? [];
  const stage = run.onDisk === null ? null : currentStage(run.onDisk.progress);
  return {
    runId: run.runId,
    state: run.state,
    task: run.onDisk?.task ?? null,
    stage: stage?.stage ?? null,
    good: stages.reduce((sum, { good }) => sum + good, 0),
    buggy: stages.reduce((sum, { buggy }) => sum + buggy, 0),
    best: stages.findLast(({ best }) => best !== null)?.best ?? null,
    report: run.report,
    disk,
  };
}

function cellsOf(listed: Listed): string[] {
  const { runId, state, task, stage, good, buggy, best, disk } = outputOf(listed);
  const metric = listed.run.onDisk?.metric ?? null;
  const size = disk === null ? '' : `${disk.complete ? '' : '> '}${bytesText(disk.bytes)}`;
  return [runId, state, task ?? '', stage ?? '', `${good} good, ${buggy} buggy`, bestCell(best, metric), size];
}
