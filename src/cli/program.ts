import { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { chaosCommand } from './commands/chaos.ts';
import { cleanCommand } from './commands/clean.ts';
import { devicesCommand } from './commands/devices.ts';
import { doctorCommand } from './commands/doctor.ts';
import { forkCommand } from './commands/fork.ts';
import { inputCommand } from './commands/input.ts';
import { journalCommand } from './commands/journal.ts';
import { listCommand } from './commands/list.ts';
import { reportCommand } from './commands/report.ts';
import { rerunCommand } from './commands/rerun.ts';
import { resumeCommand, retryCommand } from './commands/resume.ts';
import { runCommand } from './commands/run.ts';
import { schemaCommand } from './commands/schema.ts';
import { statusCommand } from './commands/status.ts';
import { steerCommands } from './commands/steer.ts';
import { steerNodeCommands } from './commands/steer-nodes.ts';
import { strategiesCommand } from './commands/strategies.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';
import { workerCommand } from './commands/worker.ts';
import { exitCodeLines } from './exit-codes.ts';

const COMMANDS: readonly ((context: CommandContext) => Command | readonly Command[])[] = [
  runCommand,
  resumeCommand,
  retryCommand,
  forkCommand,
  rerunCommand,
  statusCommand,
  watchCommand,
  listCommand,
  journalCommand,
  reportCommand,
  steerCommands,
  steerNodeCommands,
  upCommand,
  workerCommand,
  devicesCommand,
  doctorCommand,
  cleanCommand,
  chaosCommand,
  inputCommand,
  strategiesCommand,
  schemaCommand,
];

/** The whole argument table. Usage errors end with exit code 2 and point to the help of the command. */
export function buildProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new Command('scientist')
    .description('Automated ML research as a durable parallel tree search over experiment programs, on Temporal')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        io.out(text.trimEnd());
      },
      writeErr: (text) => {
        io.err(text.trimEnd());
      },
    })
    .addHelpText('after', () => `\nExit codes:\n${exitCodeLines().join('\n')}`);
  for (const command of COMMANDS.flatMap((build) => build(context))) program.addCommand(asPartOf(program, command));
  return program.showHelpAfterError('fix: see scientist --help').showSuggestionAfterError();
}

/** A command, and those below it, with the settings of the one above; `path` is what was typed before its name. */
function asPartOf(above: Command, command: Command, path = 'scientist'): Command {
  const typed = `${path} ${command.name()}`;
  for (const below of command.commands) asPartOf(above, below, typed);
  return command.copyInheritedSettings(above).showHelpAfterError(`fix: see ${typed} --help`);
}
