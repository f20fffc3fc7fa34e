import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Command } from 'commander';
import type { z } from 'zod';
import { listRuns } from '../../adapters/run-store.ts';
import { stageWorkflowId, type RunId } from '../../domain/ids.ts';
import {
  CancelNodePayload,
  MESSAGES,
  PausePayload,
  SetWorkersPayload,
  SkipStagePayload,
  StopPayload,
} from '../../domain/messages.ts';
import { problemsOf } from '../../domain/schema-problems.ts';
import { acting, newCommand, type CommandContext } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure-text.ts';
import type { Io } from '../io.ts';
import { parseRunId, unknownRun } from '../run-id.ts';
import { requireServices, type Services } from '../services.ts';

/** The commands that send a message to a run: signals, updates, and the cancel request. */
export function steerCommands({ io, finish }: CommandContext): Command[] {
  const context = { io, finish };
  const signal = (name: string, about: string, payload: (flags: Flags) => unknown) =>
    newCommand(`${name} <run>`, 'steer', about)
      .option('--reason <text>', 'why, for the journal')
      .action(acting(context, (run: string, flags: Flags) => steer(io, run, (to) => sendSignal(to, name, payload(flags)))));
  return [
    signal('pause', 'give out nothing new; running evaluations finish', (flags) => payloadOf(PausePayload, reasonOf(flags))),
    signal('unpause', 'go on after a pause', (flags) => payloadOf(PausePayload, reasonOf(flags))),
    signal('stop', 'end the run; the report is written', (flags) =>
      payloadOf(StopPayload, { mode: flags.now === true ? 'now' : 'drain', ...reasonOf(flags) }),
    ).option('--now', 'cancel running evaluations instead of waiting for them'),
    newCommand('cancel <run>', 'steer', 'cancel the workflow of a run').action(
      acting(context, (run: string) => steer(io, run, sendCancel)),
    ),
    newCommand('skip <run> <stage>', 'steer', 'end a stage and go on with the next').action(
      acting(context, (run: string, stage: string) =>
        steer(io, run, (to) => sendUpdate(to, MESSAGES.skipStage, payloadOf(SkipStagePayload, { stage }))),
      ),
    ),
    newCommand('workers <run> <count>', 'steer', 'change the number of workers of the plan').action(
      acting(context, (run: string, count: string) =>
        steer(io, run, (to) => sendUpdate(to, MESSAGES.setWorkers, payloadOf(SetWorkersPayload, { workers: Number(count) }))),
      ),
    ),
    newCommand('cancel-node <run> <node>', 'steer', 'cancel a node that is being made')
      .option('--reason <text>', 'why, for the journal')
      .action(
        acting(context, (run: string, node: string, flags: Flags) =>
          steer(io, run, (to) => cancelNode(to, { node, ...reasonOf(flags) })),
        ),
      ),
  ];
}

interface Flags {
  readonly reason?: string;
  readonly now?: true;
}

interface Target {
  readonly runId: RunId;
  readonly services: Services;
}

/** Finds the run, sends, and says what was done. */
async function steer(io: Io, text: string, send: (to: Target) => Promise<string>): Promise<ExitCode> {
  const runId = parseRunId(text);
  const services = await requireServices(io, `host the run first: scientist resume ${runId}, or scientist up`);
  try {
    const description = await services.runs.describe(runId);
    if (description === null) throw unknownRun(runId, await listRuns(io.home));
    if (description.closedAt !== null)
      throw new CliFailure(
        EXIT.input,
        `run ${runId} has ended (${description.status.toLowerCase()})`,
        'see it with: scientist status',
      );
    io.out(await send({ runId, services }));
    return EXIT.done;
  } finally {
    await services.close();
  }
}

async function sendSignal({ runId, services }: Target, name: string, payload: unknown): Promise<string> {
  await services.runs.signal(runId, name, payload);
  return `${name} was sent to ${runId}`;
}

async function sendCancel({ runId, services }: Target): Promise<string> {
  await services.runs.cancel(runId);
  return `${runId} is being cancelled`;
}

async function sendUpdate({ runId, services }: Target, name: string, payload: unknown): Promise<string> {
  await updated(services, { workflowId: runId, name, payload });
  return `${name} was accepted by ${runId}`;
}

async function cancelNode({ runId, services }: Target, payload: unknown): Promise<string> {
  const checked = payloadOf(CancelNodePayload, payload);
  const status = await services.runs.status(runId);
  const stage = status.kind === 'answer' ? status.value.stage : null;
  if (stage === null)
    throw new CliFailure(EXIT.input, `run ${runId} is in no stage now`, 'wait until a stage runs: scientist status');
  await updated(services, { workflowId: stageWorkflowId(runId, stage), name: MESSAGES.cancelNode, payload: checked });
  return `${checked.node} is being cancelled`;
}

/** An update that the run refuses is an input error with the reason that the run gives. */
async function updated(
  services: Services,
  { workflowId, name, payload }: { workflowId: string; name: string; payload: unknown },
): Promise<void> {
  try {
    await services.runs.update(workflowId, name, payload);
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new CliFailure(
      EXIT.input,
      `${name} was refused: ${error.cause?.message ?? error.message}`,
      'see what is possible now: scientist status',
    );
  }
}

function payloadOf<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error.issues, value).map(({ path, what }) => `${path.join('.')}: ${what}`);
  throw new CliFailure(EXIT.input, problems.join('; '), 'correct the argument');
}

function reasonOf({ reason }: Flags): { reason?: string } {
  return reason === undefined ? {} : { reason };
}
