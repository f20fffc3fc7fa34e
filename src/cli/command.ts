import { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

/** What every command is built with. */
export interface CommandContext {
  readonly io: Io;
  /** Told the exit code when a command has ended; not told when it threw. */
  readonly finish: (code: ExitCode) => void;
}

/** The groups of commands in `--help`. */
export const GROUPS = { run: 'Run:', look: 'Look:', steer: 'Steer a run:', host: 'Host and check:' } as const;

/** A command without actions yet: its name with arguments, its group and one line about it. */
export function newCommand(nameAndArguments: string, group: keyof typeof GROUPS, about: string): Command {
  const [name, ...rest] = nameAndArguments.split(' ');
  const command = new Command(name).description(about).helpGroup(GROUPS[group]);
  return rest.length === 0 ? command : command.arguments(rest.join(' '));
}

/** An action whose result is the exit code. */
export function acting<A extends unknown[]>(
  context: CommandContext,
  work: (...args: A) => Promise<ExitCode>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    context.finish(await work(...args));
  };
}
