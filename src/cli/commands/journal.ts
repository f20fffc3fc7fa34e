import type { Command } from 'commander';
import { loadRun, readableEvents } from '../../adapters/run-store.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { advance, noProgress } from '../follow/progress.ts';
import type { Io } from '../io.ts';
import { JournalOutput, printJson } from '../json-output.ts';
import { knownRun } from '../run-id.ts';
import { eventText } from '../text/event-text.ts';

/** `scientist journal RUN`: what can be read of it; the exit code says when that is not all. */
export function journalCommand(context: CommandContext): Command {
  return newCommand('journal <run>', 'look', 'print the journal of a run')
    .option('--json', 'as JSON')
    .action(acting(context, (run: string, flags: { json?: true }) => journal(context.io, run, flags.json === true)));
}

async function journal(io: Io, text: string, asJson: boolean): Promise<ExitCode> {
  const runId = await knownRun(io.home, text);
  const { events, damaged } = await readableEvents(io.home, runId);
  for (const { type, message, fix } of damaged) io.err(`${type}: ${message} ${fix}`);
  const code = damaged.length === 0 ? EXIT.done : EXIT.environment;
  if (asJson) {
    printJson(io.out, JournalOutput, { v: 1, runId, events });
    return code;
  }
  let progress = noProgress((await loadRun(io.home, runId)).plan.metric);
  for (const event of events) {
    progress = advance(progress, event);
    io.out(eventText(event, progress));
  }
  return code;
}
