import type { Command } from 'commander';
import { configJsonSchema } from '../../domain/config-schema.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

/** `scientist schema`: for editors and for whoever writes configs by program. */
export function schemaCommand({ io, finish }: CommandContext): Command {
  return newCommand('schema', 'look', 'print the JSON schema of a config').action(
    acting({ io, finish }, () => {
      io.out(JSON.stringify(configJsonSchema(), null, 2));
      return Promise.resolve(EXIT.done);
    }),
  );
}
