import type { Command } from 'commander';
import { MESSAGES } from '../../domain/messages.ts';
import { AddItemPayload, CancelNodePayload, PinNodePayload, PruneNodePayload, StrategyChoice } from '../../domain/steering.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import { payloadOf, steer, updateStage } from '../steer-run.ts';

/** The commands that send an update to the stage that a run is in: about single nodes, items and the strategy. */
export function steerNodeCommands(context: CommandContext): Command[] {
  const send = (run: string, message: { name: string; payload: unknown; done: string }): Promise<ExitCode> =>
    steer(context.io, run, async (to) => {
      await updateStage(to, message);
      return message.done;
    });
  const aboutNode = (command: Command, act: (run: string, node: string, reason: { reason?: string }) => Promise<ExitCode>) =>
    command
      .option('--reason <text>', 'why, for the journal')
      .action(
        acting(context, (run: string, node: string, { reason }: { reason?: string }) =>
          act(run, node, reason === undefined ? {} : { reason }),
        ),
      );
  return [
    aboutNode(newCommand('cancel-node <run> <node>', 'steer', 'cancel a node that is being made'), (run, node, reason) => {
      const payload = payloadOf(CancelNodePayload, { node, ...reason });
      return send(run, { name: MESSAGES.cancelNode, payload, done: `${node} is being cancelled` });
    }),
    aboutNode(
      newCommand('prune <run> <node>', 'steer', 'stop all work on a node and what descends from it'),
      (run, node, reason) => {
        const payload = payloadOf(PruneNodePayload, { node, ...reason });
        return send(run, { name: MESSAGES.pruneNode, payload, done: `${node} is pruned` });
      },
    ),
    newCommand('pin <run> <node>', 'steer', 'build on a node as if it were the best').action(
      acting(context, (run: string, node: string) =>
        send(run, { name: MESSAGES.pinNode, payload: payloadOf(PinNodePayload, { node }), done: `${node} is pinned` }),
      ),
    ),
    newCommand('unpin <run>', 'steer', 'build on the best node again').action(
      acting(context, (run: string) =>
        send(run, { name: MESSAGES.pinNode, payload: { node: null }, done: 'no node is pinned any more' }),
      ),
    ),
    newCommand('add <run> <operator> [parent] [target]', 'steer', 'have this done next: add RUN tune n3 model.depth').action(
      acting(context, (run: string, operator: string, parent: string | undefined, target: string | undefined) => {
        const payload = payloadOf(AddItemPayload, { operator, parent, target });
        return send(run, { name: MESSAGES.addItem, payload, done: `${operator} was put first in line` });
      }),
    ),
    newCommand('strategy <run> <name>', 'steer', 'split the work of this stage by another strategy from now on')
      .option(
        '--option <key=value>',
        'an option of the strategy, its value as JSON or a plain text; may be repeated',
        collectOption,
        {},
      )
      .action(
        acting(context, (run: string, name: string, { option }: { option: Record<string, unknown> }) => {
          const payload = payloadOf(StrategyChoice, { name, options: option });
          return send(run, { name: MESSAGES.setStrategy, payload, done: `the strategy is ${name} from the next plan on` });
        }),
      ),
  ];
}

/** Adds one `--option key=value` to those before it, as commander collects a repeatable option. */
function collectOption(text: string, before: Record<string, unknown>): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at < 1) throw new CliFailure(EXIT.input, `--option ${text} cannot be read`, 'write it as key=value');
  return { ...before, [text.slice(0, at)]: optionValue(text.slice(at + 1)) };
}

/** Numbers, truth values and lists as in JSON; anything else is a text. */
function optionValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
