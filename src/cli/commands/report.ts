import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { orNull } from '../../adapters/atomic-file.ts';
import { runPaths } from '../../adapters/layout.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import type { Io } from '../io.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { shortPath } from '../session.ts';

/** `scientist report RUN`. */
export function reportCommand(context: CommandContext): Command {
  return newCommand('report <run>', 'look', 'say where the report of a run lies')
    .option('--print', 'print the report itself (Markdown)')
    .action(acting(context, (run: string, flags: { print?: true }) => report(context.io, run, flags.print === true)));
}

async function report(io: Io, text: string, isPrinted: boolean): Promise<ExitCode> {
  const runId = parseRunId(text);
  const paths = runPaths(io.home, runId);
  const markdown = await orNull(readFile(paths.reportMarkdown, 'utf8'));
  const known = await listRuns(io.home);
  if (markdown === null) throw known.includes(runId) ? notWritten(runId) : unknownRun(runId, known);
  if (isPrinted) io.out(markdown.trimEnd());
  else {
    io.out(shortPath(paths.reportMarkdown));
    if ((await orNull(stat(paths.reportHtml))) !== null) io.out(shortPath(paths.reportHtml));
  }
  return EXIT.done;
}

function notWritten(runId: string): CliFailure {
  return new CliFailure(
    EXIT.input,
    `run ${runId} has no report yet: it is written at the end`,
    `let it end with: scientist resume ${runId}`,
  );
}
