import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { z } from 'zod';
import { listRuns } from '../adapters/run-store.ts';
import { oneLine } from '../domain/failure.ts';
import { stageWorkflowId, type RunId } from '../domain/ids.ts';
import { problemsOf } from '../domain/schema-problems.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { CliFailure } from './failure-text.ts';
import type { Io } from './io.ts';
import { parseRunId, unknownRun } from './run-id.ts';
import { requireServices, type Services } from './services.ts';

/** What the commands share that send a message to a run. */

/** The run that is steered, and the services that host it. */
export interface Target {
  readonly runId: RunId;
  readonly services: Services;
}

/** A message: its name on the wire and what it carries. */
export interface Message {
  readonly name: string;
  readonly payload: unknown;
}

/** Finds the run, sends, and says what was done. */
export async function steer(io: Io, text: string, send: (to: Target) => Promise<string>): Promise<ExitCode> {
  const runId = parseRunId(text);
  const services = await requireServices(io, `host the run first: scientist resume ${runId}, or scientist up`);
  try {
    await refuseEnded(io, { runId, services });
    io.out(await send({ runId, services }));
    return EXIT.done;
  } finally {
    await services.close();
  }
}

/** Refuses a run that is not known or has ended. */
export async function refuseEnded(io: Io, { runId, services }: Target): Promise<void> {
  const description = await services.runs.describe(runId);
  if (description === null) throw unknownRun(runId, await listRuns(io.home));
  if (description.closedAt === null) return;
  throw new CliFailure(
    EXIT.input,
    `run ${runId} has ended (${description.status.toLowerCase()})`,
    'see it with: scientist status',
  );
}

/** Sends an update to the run; one that it refuses is an input error with the reason that it gives. */
export async function updateRun({ runId, services }: Target, message: Message): Promise<void> {
  await update(services, runId, message);
}

/** Sends an update to the stage that the run is in. */
export async function updateStage({ runId, services }: Target, message: Message): Promise<void> {
  const status = await services.runs.status(runId);
  const stage = status.kind === 'answer' ? status.value.stage : null;
  if (stage === null)
    throw new CliFailure(EXIT.input, `run ${runId} is in no stage now`, 'wait until a stage runs: scientist status');
  await update(services, stageWorkflowId(runId, stage), message);
}

/** The payload of a message from the arguments of a command; what does not fit is an input error. */
export function payloadOf<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error.issues, value).map(({ path, what }) => `${path.join('.')}: ${what}`);
  throw new CliFailure(EXIT.input, oneLine(problems.join('; ')), 'correct the argument');
}

async function update(services: Services, workflowId: string, { name, payload }: Message): Promise<void> {
  try {
    await services.runs.update(workflowId, name, payload);
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const why = error.cause?.message ?? error.message;
    throw new CliFailure(EXIT.input, `${name} was refused: ${why}`, 'see what is possible now: scientist status');
  }
}
