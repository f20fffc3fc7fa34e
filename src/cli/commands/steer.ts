import type { Command } from 'commander';
import { MESSAGES } from '../../domain/messages.ts';
import {
  PausePayload,
  SetBudgetPayload,
  SetWorkersPayload,
  SkipStagePayload,
  StopPayload,
  UnpausePayload,
} from '../../domain/steering.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { payloadOf, steer, updateRun, type Message, type Target } from '../steer-run.ts';

/** The commands that send a message to a run as a whole: signals, updates, and the cancel request. */
export function steerCommands(context: CommandContext): Command[] {
  const { io } = context;
  const signal = (name: string, about: string, payload: (flags: Flags) => unknown) =>
    newCommand(`${name} <run>`, 'steer', about)
      .option('--reason <text>', 'why, for the journal')
      .action(acting(context, (run: string, flags: Flags) => steer(io, run, (to) => sendSignal(to, name, payload(flags)))));
  return [
    signal('pause', 'give out nothing new; running evaluations finish', (flags) =>
      payloadOf(PausePayload, { mode: flags.checkpoint === true ? 'checkpoint' : 'finish', ...reasonOf(flags) }),
    ).option('--checkpoint', 'end running evaluations at their checkpoints and free the devices; unpause goes on from there'),
    signal('unpause', 'go on after a pause', (flags) => payloadOf(UnpausePayload, reasonOf(flags))),
    signal('stop', 'end the run; the report is written', (flags) =>
      payloadOf(StopPayload, { mode: flags.now === true ? 'now' : 'drain', ...reasonOf(flags) }),
    ).option('--now', 'cancel running evaluations instead of waiting for them'),
    newCommand('cancel <run>', 'steer', 'cancel the workflow of a run').action(
      acting(context, (run: string) => steer(io, run, sendCancel)),
    ),
    newCommand('skip <run> <stage>', 'steer', 'end a stage and go on with the next').action(
      acting(context, (run: string, stage: string) =>
        steer(io, run, (to) => sendUpdate(to, { name: MESSAGES.skipStage, payload: payloadOf(SkipStagePayload, { stage }) })),
      ),
    ),
    ...limitCommands(context),
  ];
}

function limitCommands(context: CommandContext): Command[] {
  const { io } = context;
  return [
    newCommand('workers <run> <count>', 'steer', 'change the number of workers of the plan').action(
      acting(context, (run: string, count: string) => {
        const payload = payloadOf(SetWorkersPayload, { workers: numberOf(count) });
        return steer(io, run, (to) => sendUpdate(to, { name: MESSAGES.setWorkers, payload }));
      }),
    ),
    newCommand('budget <run>', 'steer', 'change how many nodes the run, or one stage, may make')
      .requiredOption('--nodes <count>', 'nodes at most, those that were made included; none lifts the limit of the run')
      .option('--stage <stage>', 'of this stage alone')
      .action(
        acting(context, (run: string, { nodes, stage }: { nodes: string; stage?: string }) => {
          const limit = { nodes: nodes === 'none' ? null : numberOf(nodes) };
          const payload = payloadOf(SetBudgetPayload, stage === undefined ? limit : { ...limit, stage });
          return steer(io, run, (to) => sendUpdate(to, { name: MESSAGES.setBudget, payload }));
        }),
      ),
  ];
}

/** The number in an argument; any other text stays one, which the schema refuses: an empty one must not become 0. */
function numberOf(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

interface Flags {
  readonly reason?: string;
  readonly now?: true;
  readonly checkpoint?: true;
}

async function sendSignal({ runId, services }: Target, name: string, payload: unknown): Promise<string> {
  await services.runs.signal(runId, name, payload);
  return `${name} was sent to ${runId}`;
}

async function sendCancel({ runId, services }: Target): Promise<string> {
  await services.runs.cancel(runId);
  return `${runId} is being cancelled`;
}

async function sendUpdate(to: Target, message: Message): Promise<string> {
  await updateRun(to, message);
  return `${message.name} was accepted by ${to.runId}`;
}

function reasonOf({ reason }: Flags): { reason?: string } {
  return reason === undefined ? {} : { reason };
}
