import type { Command } from 'commander';
import { emptyTrash, lookAtCache, lookAtRuns, pathOf, remove } from '../../adapters/clean-up.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { parseDuration } from '../../domain/duration.ts';
import { bytesText } from '../../domain/disk-use.ts';
import type { RunId } from '../../domain/ids.ts';
import {
  CLEAN_PARTS,
  planClean,
  type CleanPart,
  type CleanPlan,
  type CleanWish,
  type DiskState,
} from '../../domain/retention.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import type { Io } from '../io.ts';
import { isAway } from '../run-client.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { withRunningServices, type Services } from '../services.ts';
import { shortPath } from '../session.ts';
import { cleanLines, keptLines } from '../text/clean-text.ts';

type CleanFlags = { readonly [part in CleanPart]?: true } & {
  readonly olderThan?: string;
  readonly yes?: true;
};

/** `scientist clean`. */
export function cleanCommand(context: CommandContext): Command {
  return newCommand('clean [runs...]', 'host', 'show what can be removed from the disk, and with --yes remove it')
    .option('--attempts', 'attempts of finished evaluations that did not give the result')
    .option('--checkpoints', 'checkpoints of finished evaluations')
    .option('--reruns', 'what scientist rerun left')
    .option('--cache', 'results that the runs of this project share (cache: project)')
    .option('--runs', 'whole folders of runs that are over')
    .option('--older-than <duration>', 'with --runs: only runs that nothing was written to for this long, e.g. 30d')
    .option('--yes', 'remove it; without this nothing is changed')
    .action(acting(context, (runs: string[], flags: CleanFlags) => clean(context.io, runs, flags)));
}

async function clean(io: Io, texts: readonly string[], flags: CleanFlags): Promise<ExitCode> {
  const known = await listRuns(io.home);
  const named = texts.map(parseRunId);
  const unknown = named.find((runId) => !known.includes(runId));
  if (unknown !== undefined) throw unknownRun(unknown, known);
  const wish = wishOf(named, flags);
  const { plan, serverAnswers } = await look(io, wish);
  keptLines(plan.kept, serverAnswers).forEach((line) => {
    io.err(line);
  });
  if (flags.yes === true) return carryOut(io, plan, named);
  cleanLines(plan, { wish, flags: commandFlags(flags), shown: (removal) => shortPath(pathOf(io.home, removal)) }).forEach(
    (line) => {
      io.out(line);
    },
  );
  return EXIT.done;
}

/** What is removed must be named; a dry run without a part is an overview. */
function wishOf(runs: readonly RunId[], flags: CleanFlags): CleanWish {
  const asked = CLEAN_PARTS.filter((part) => flags[part] === true);
  if (asked.length === 0 && flags.yes === true)
    throw new CliFailure(
      EXIT.input,
      '--yes does not say what to remove',
      `name it: ${CLEAN_PARTS.map((part) => `--${part}`).join(', ')}; scientist clean shows how much each of them is`,
    );
  if (flags.olderThan !== undefined && flags.runs !== true)
    throw new CliFailure(EXIT.input, '--older-than is about whole runs', 'add --runs, or leave it out');
  const olderThanMs = flags.olderThan === undefined ? 0 : parseDuration(flags.olderThan);
  if (olderThanMs === null)
    throw new CliFailure(EXIT.input, `--older-than ${flags.olderThan ?? ''} is no duration`, 'write it as 30d, 12h or 90m');
  return { parts: asked, runs, olderThanMs };
}

async function look(io: Io, wish: CleanWish): Promise<{ plan: CleanPlan; serverAnswers: boolean }> {
  const open = await withRunningServices(io, (services) => openRuns(io, services));
  const state = { runs: await lookAtRuns(io.home, open.states), cache: await lookAtCache(io.home), now: Date.now() };
  return { plan: planOf(state, wish), serverAnswers: open.serverAnswers };
}

/** What may go; where nothing was named, each part by itself, also what would go with its whole run. */
function planOf(state: DiskState, wish: CleanWish): CleanPlan {
  const plans =
    wish.parts.length > 0 ? [planClean(state, wish)] : CLEAN_PARTS.map((part) => planClean(state, { ...wish, parts: [part] }));
  return { removals: plans.flatMap(({ removals }) => removals), kept: plans[0]?.kept ?? [] };
}

/** Of each run whether the server calls it open; `null` where it does not answer or does not know the run. */
async function openRuns(
  io: Io,
  services: Services | null,
): Promise<{ states: Map<string, boolean | null>; serverAnswers: boolean }> {
  const states = new Map<string, boolean | null>();
  let serverAnswers = services !== null;
  for (const runId of services === null ? [] : await listRuns(io.home)) {
    try {
      const description = (await services?.runs.describe(runId)) ?? null;
      states.set(runId, description === null ? null : description.closedAt === null);
    } catch (error) {
      if (!isAway(error)) throw error;
      serverAnswers = false;
    }
  }
  return { states, serverAnswers };
}

async function carryOut(io: Io, plan: CleanPlan, named: readonly RunId[]): Promise<ExitCode> {
  let bytes = 0;
  let count = 0;
  for (const removal of plan.removals) {
    const became = await remove(io.home, removal);
    if (became === 'through_a_link')
      io.err(`left alone, since the way to it leads through a link: ${shortPath(pathOf(io.home, removal))}`);
    if (became !== 'removed') continue;
    bytes += removal.bytes;
    count += 1;
  }
  const trash = await emptyTrash(io.home);
  io.out(`removed ${count} of ${plan.removals.length}, ${bytesText(bytes)}`);
  if (trash > 0) io.out(`removed ${trash} that an interrupted clean had left`);
  const refused = plan.kept.filter(({ run }) => named.some((id) => id === run));
  return refused.length > 0 ? EXIT.input : EXIT.done;
}

/** The flags that were given, as they are typed again; `--yes` left out. */
function commandFlags(flags: CleanFlags): string[] {
  const parts = CLEAN_PARTS.filter((part) => flags[part] === true).map((part) => `--${part}`);
  return [...parts, ...(flags.olderThan === undefined ? [] : [`--older-than ${flags.olderThan}`])];
}
