import type { Command } from 'commander';
import { listRuns } from '../../adapters/run-store.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { listenForInterruption } from '../interruption.ts';
import type { Io } from '../io.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { requireServices } from '../services.ts';
import { followToEnd } from '../session.ts';

/** `scientist watch RUN`: like `resume`, but it starts nothing and stops nothing. */
export function watchCommand(context: CommandContext): Command {
  return newCommand('watch <run>', 'look', 'follow a run that is hosted elsewhere').action(
    acting(context, (run: string) => watch(context.io, run)),
  );
}

async function watch(io: Io, text: string): Promise<ExitCode> {
  const runId = parseRunId(text);
  const known = await listRuns(io.home);
  const services = await requireServices(
    io,
    known.includes(runId) ? `host and follow it with: scientist resume ${runId}` : 'see your runs with: scientist list',
  );
  const interruption = listenForInterruption();
  try {
    if ((await services.runs.describe(runId)) === null) throw unknownRun(runId, known);
    return await followToEnd(io, { runId, services, signal: interruption.signal, tellPast: true });
  } finally {
    await services.close();
    interruption.dispose();
  }
}
