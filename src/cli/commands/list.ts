import type { Command } from 'commander';
import { listRuns } from '../../adapters/run-store.ts';
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

/** `scientist list`. */
export function listCommand(context: CommandContext): Command {
  return newCommand('list', 'look', 'list all runs')
    .option('--json', 'as JSON')
    .action(acting(context, (flags: { json?: true }) => list(context.io, flags.json === true)));
}

async function list(io: Io, asJson: boolean): Promise<ExitCode> {
  const ids = await listRuns(io.home);
  const seen = await withRunningServices(io, async (services) => {
    const runs: SeenRun[] = [];
    for (const id of ids) {
      const run = await seeRun(io.home, parseRunId(id), services);
      if (run !== null) runs.push(run);
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

function outputOf(run: SeenRun): ListOutput['runs'][number] {
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
  };
}

function cellsOf(run: SeenRun): string[] {
  const { state, task, stage, good, buggy, best } = outputOf(run);
  return [run.runId, state, task ?? '', stage ?? '', `${good} good, ${buggy} buggy`, bestCell(best, run.onDisk?.metric ?? null)];
}
