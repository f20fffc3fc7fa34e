import type { Command } from 'commander';
import { STRATEGIES } from '../../strategies/registry.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { tableLines } from '../text/table.ts';

/** `scientist strategies`. */
export function strategiesCommand({ io, finish }: CommandContext): Command {
  return newCommand('strategies', 'look', 'list the strategies that a config can name').action(
    acting({ io, finish }, () => {
      tableLines(STRATEGIES.map(({ name, about }) => [name, about])).forEach((line) => {
        io.out(line);
      });
      return Promise.resolve(EXIT.done);
    }),
  );
}
