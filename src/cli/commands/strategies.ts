import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { loadModule, readModule, withCopy } from '../../adapters/own-strategies.ts';
import { PlatformFailure } from '../../domain/failure.ts';
import { STAGE_NAMES } from '../../domain/ids.ts';
import { STAGE_OPERATORS } from '../../domain/stage.ts';
import { STRATEGIES } from '../../strategies/registry.ts';
import type { StrategyEntry } from '../../strategies/strategy.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import type { Io } from '../io.ts';
import { checkStrategyFile } from '../strategy-check.ts';
import { tableLines } from '../text/table.ts';

interface CheckFlags {
  readonly export?: string;
  readonly options: string;
}

/** `scientist strategies`, and `scientist strategies check FILE`. */
export function strategiesCommand(context: CommandContext): Command {
  const { io } = context;
  const check = newCommand('check <file>', 'look', 'check a strategy of your own against the contract')
    .option('--export <name>', 'which of its exports; not needed when there is one')
    .option('--options <json>', 'its options, as JSON', '{}')
    .action(acting(context, (file: string, flags: CheckFlags) => checkFile(io, file, flags)));
  return newCommand('strategies', 'look', 'list the strategies that a config can name, or check one of your own')
    .action(
      acting(context, () => {
        tableLines(STRATEGIES.flatMap(rowsOf)).forEach((line) => {
          io.out(line);
        });
        return Promise.resolve(EXIT.done);
      }),
    )
    .addCommand(check);
}

/** A row about a strategy, and one for each of its options. */
function rowsOf(entry: StrategyEntry): string[][] {
  const { properties = {} } = z.toJSONSchema(entry.options, { io: 'input' });
  const options = Object.entries(properties).map(([name, schema]) => {
    const { default: usual, description = '' } = typeof schema === 'boolean' ? {} : schema;
    return [`  ${name}`, `default ${JSON.stringify(usual)}`, description];
  });
  return [[entry.name, stagesText(entry), entry.about], ...options];
}

function stagesText({ isFor }: StrategyEntry): string {
  const fit = STAGE_NAMES.flatMap((name, index) => (isFor(STAGE_OPERATORS[name]) ? [index + 1] : []));
  return fit.length === STAGE_NAMES.length ? 'all stages' : `stages ${fit.join(', ')}`;
}

async function checkFile(io: Io, file: string, flags: CheckFlags): Promise<ExitCode> {
  const options = optionsOf(flags.options);
  const checked = await withCopy(await readModule(resolve(file), file), async ({ path }) => {
    const exported = flags.export ?? onlyExport(file, await loadModule(path, file));
    return checkStrategyFile({ path, where: file, exported }, options);
  });
  for (const { name, problem } of checked) io.out(problem === null ? `ok      ${name}` : `failed  ${name}: ${problem}`);
  return checked.every(({ problem }) => problem === null) ? EXIT.done : EXIT.input;
}

function onlyExport(file: string, exports: object): string {
  const [name, ...others] = Object.keys(exports);
  if (name !== undefined && others.length === 0) return name;
  const what = name === undefined ? 'exports nothing' : `exports ${[name, ...others].join(', ')}`;
  throw new PlatformFailure('StrategyRefused', `${file} ${what}`, 'say which is the strategy: --export NAME');
}

function optionsOf(text: string): unknown {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(text));
  } catch {
    throw new CliFailure(EXIT.input, `--options ${text} cannot be read`, 'write them as JSON, e.g. --options \'{"width": 2}\'');
  }
}
