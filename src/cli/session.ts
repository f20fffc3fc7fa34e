import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { orNull } from '../adapters/atomic-file.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import type { ExitCode } from './exit-codes.ts';
import { exitCodeOfEnding } from './follow/ending.ts';
import { followRun } from './follow/follow-run.ts';
import { openScreen } from './follow/screen.ts';
import type { Io } from './io.ts';
import type { Services } from './services.ts';
import { endingLines, type EndingPlaces } from './text/ending-text.ts';

/** A run that a command stays with. */
export interface Followed {
  readonly runId: string;
  readonly services: Services;
  readonly signal: AbortSignal;
  /** Whether nodes that landed before are told too. */
  readonly tellPast: boolean;
}

/** Follows a run to its end, prints how it ended and where things lie, and gives the exit code. */
export async function followToEnd(io: Io, { runId, services, signal, tellPast }: Followed): Promise<ExitCode> {
  const screen = openScreen(io);
  const { ending, progress } = await followRun({ home: io.home, runId, client: services.runs, screen, signal, tellPast });
  endingLines(ending, progress, await placesOf(io.home, runId, services)).forEach((line) => {
    io.out(line);
  });
  if (ending.kind === 'interrupted') io.err('leaving; Ctrl-C again ends at once');
  return exitCodeOfEnding(ending);
}

async function placesOf(home: Home, runId: string, { server }: Services): Promise<EndingPlaces> {
  const paths = runPaths(home, runId);
  return {
    runId,
    report: (await orNull(stat(paths.reportMarkdown))) === null ? null : shortPath(paths.reportMarkdown),
    program: `${shortPath(paths.best)}/`,
    journal: shortPath(paths.journalFile),
    history: historyText(runId, server),
  };
}

/** How to see the history of a run once this command has ended and stopped what it started. */
function historyText(runId: string, { embedded, webUi, namespace }: Services['server']): string {
  const page = webUi === null ? null : `${webUi}/namespaces/${namespace}/workflows/${runId}`;
  if (embedded) return `npm run scientist -- up${page === null ? '' : `, then open ${page}`}`;
  return page ?? `temporal workflow show --workflow-id ${runId}`;
}

/** A path as a person would type it here. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') ? path : short;
}
