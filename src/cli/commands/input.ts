import type { Command } from 'commander';
import { removedRunIds } from '../../adapters/clean-up.ts';
import { listRuns } from '../../adapters/run-store.ts';
import { controlQueue } from '../../domain/device.ts';
import { WORKFLOW_TYPES } from '../../domain/messages.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { prepareRun } from '../prepare-run.ts';
import { chooseRunId } from '../run-id.ts';
import { collectSet } from '../sets.ts';

interface InputFlags {
  readonly set: Readonly<Record<string, string>>;
  readonly command?: true;
}

/** `scientist input CONFIG`. */
export function inputCommand(context: CommandContext): Command {
  return newCommand('input <config>', 'run', 'print the start input of a run as JSON, for temporal workflow start')
    .option('--set <key=value>', 'change a key of the config; may be repeated', collectSet, {})
    .option('--command', 'print the whole temporal command instead')
    .action(acting(context, (config: string, flags: InputFlags) => input(context.io, config, flags)));
}

async function input(io: Io, config: string, flags: InputFlags): Promise<ExitCode> {
  const taken = [...(await listRuns(io.home)), ...(await removedRunIds(io.home))];
  const prepared = await prepareRun(io, { config, sets: flags.set, chooseId: (task) => chooseRunId(task, new Date(), taken) });
  prepared.warnings.forEach((warning) => {
    io.err(`warning: ${warning}`);
  });
  const json = JSON.stringify(prepared.input);
  const { runId, queuePrefix } = prepared.plan;
  const command = `temporal workflow start --type ${WORKFLOW_TYPES.research} --task-queue ${controlQueue(queuePrefix)} --workflow-id ${runId} --input ${shellWord(json)}`;
  io.out(flags.command === true ? command : json);
  if (flags.command !== true) io.err(command);
  return EXIT.done;
}

/** One word of a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
