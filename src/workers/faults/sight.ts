import { stat } from 'node:fs/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { orNull, readJsonOrNull } from '../../adapters/atomic-file.ts';
import { runPaths } from '../../adapters/layout.ts';
import { readLedgers } from '../../adapters/ledger.ts';
import { journalNumbers } from '../../adapters/run-store.ts';
import { JournalEvent } from '../../domain/journal.ts';
import { openAttempts } from '../../domain/ledger.ts';
import { connectClient } from '../client.ts';
import { attachedServices } from '../hosting.ts';
import { PENDING } from '../pending-activities.ts';
import { livingServer, type ServerAddress } from '../records.ts';
import { PHASES, type Phase, type Target } from './fault.ts';

/**
 * Where a run is, as it can be told from outside: by its journal, the ledgers, and what the server says is
 * pending. It is a look at one moment; by the time a fault is done the run may be a few milliseconds on.
 */

/** An activity that has been given out and is not done. */
export interface PendingActivity {
  readonly type: string;
  /** Whether a worker has it; otherwise it waits in its queue. */
  readonly isTaken: boolean;
}

/** What the server says of a workflow that is open. */
export interface OpenWorkflow {
  readonly pending: readonly PendingActivity[];
  /** Events of the history of this execution. */
  readonly events: number;
  /** Whether it was continued as new from another execution. */
  readonly isContinued: boolean;
}

/** One look at a run. */
export interface Sight {
  /** Events of the journal. */
  readonly events: number;
  readonly lastEvent: JournalEvent['kind'] | null;
  /** Attempts of the run that are not known to be dead. */
  readonly attempts: number;
  /** The run's workflow; `null` when the server is away or the run is not open. */
  readonly run: OpenWorkflow | null;
  /** The workflow of the stage that runs; `null` between two stages. */
  readonly stage: OpenWorkflow | null;
  /** Whether the run has ended, as far as can be told. */
  readonly isOver: boolean;
}

/** Looks at one run, again and again. */
export interface Watch {
  look(): Promise<Sight>;
  close(): Promise<void>;
}

/** Events from which on a stage continues as new where the run's plan is not known. */
const NEVER = Number.POSITIVE_INFINITY;
/** A continued execution with no more events than this has done nothing yet. */
const FRESH_EVENTS = 8;
const CALL_MS = 1000;

/** The phases that hold; `maxHistoryEvents` of the run's plan, from which on a stage drains. */
export function phasesOf(sight: Sight, maxHistoryEvents: number = NEVER): Phase[] {
  const { stage, run, events, lastEvent, attempts } = sight;
  const pending = stage?.pending ?? [];
  const isIdle = stage !== null && pending.length === 0;
  const isLong = stage !== null && stage.events > maxHistoryEvents;
  const isBoundary = lastEvent === 'stage_started' || lastEvent === 'stage_finished';
  const holds: Record<Phase, boolean> = {
    before_first_node: events < 2 && !sight.isOver,
    proposing: has(pending, 'propose'),
    queued: pending.some(({ type, isTaken }) => type === 'evaluate' && !isTaken),
    running: attempts > 0,
    reporting: has(pending, 'recordEvent'),
    between_rounds: isIdle && !isBoundary && !isLong,
    stage_change: isBoundary && events > 1 && run !== null && !has(run.pending, 'writeReport'),
    continue_as_new: isIdle && (isLong || (stage.isContinued && stage.events <= FRESH_EVENTS)),
    report: run !== null && has(run.pending, 'writeReport'),
  };
  return PHASES.filter((phase) => holds[phase]);
}

/** Opens a watch on a run; the server may come and go. */
export function watchRun(target: Target): Watch {
  let client: { server: ServerAddress; client: Client } | null = null;
  const close = async (): Promise<void> => {
    await client?.client.connection.close();
    client = null;
  };
  const connected = async (): Promise<Client | null> => {
    const server = (await attachedServices(target.home))?.server ?? null;
    if (server === null) return null;
    if (client !== null && client.server.address === server.address) return client.client;
    await close();
    client = { server, client: await connectClient(server, CALL_MS) };
    return client.client;
  };
  const ask = async (): Promise<Answer> => {
    try {
      const open = await connected();
      return open === null ? AWAY : await describeRun(open, target.runId);
    } catch {
      return AWAY;
    }
  };
  return {
    close,
    async look() {
      const [answer, files, attempts] = await Promise.all([ask(), readFiles(target), countAttempts(target)]);
      const isOver = answer.isClosed || (files.isReported && (await livingServer(target.home)) === null);
      return { ...files, attempts, run: answer.run, stage: answer.stage, isOver };
    },
  };
}

interface Answer extends Pick<Sight, 'run' | 'stage'> {
  readonly isClosed: boolean;
}

const AWAY: Answer = { run: null, stage: null, isClosed: false };

async function describeRun(client: Client, runId: string): Promise<Answer> {
  const run = await describe(client, runId);
  if (run === null || !run.isOpen) return { ...AWAY, isClosed: run !== null };
  const [child] = run.children;
  const stage = child === undefined ? null : await describe(client, child);
  return { run, stage: stage?.isOpen === true ? stage : null, isClosed: false };
}

/** A stage has it out all the time, to learn of devices that come and go. */
const ALWAYS_PENDING = 'watchDevices';

async function describe(
  client: Client,
  workflowId: string,
): Promise<(OpenWorkflow & { isOpen: boolean; children: string[] }) | null> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const { raw, status, runId, historyLength } = await client.withDeadline(Date.now() + CALL_MS, () => handle.describe());
    const first = raw.workflowExecutionInfo?.firstRunId ?? '';
    return {
      isOpen: status.name === 'RUNNING',
      events: historyLength,
      isContinued: first !== '' && first !== runId,
      pending: (raw.pendingActivities ?? [])
        .map(({ activityType, state }) => ({ type: activityType?.name ?? '', isTaken: Number(state) !== PENDING.scheduled }))
        .filter(({ type }) => type !== ALWAYS_PENDING),
      children: (raw.pendingChildren ?? []).flatMap(({ workflowId: id }) => (typeof id === 'string' ? [id] : [])),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function readFiles({ home, runId }: Target): Promise<Pick<Sight, 'events' | 'lastEvent'> & { isReported: boolean }> {
  const paths = runPaths(home, runId);
  const numbers = await journalNumbers(home, runId);
  const last = numbers.at(-1);
  const event = last === undefined ? null : await readJsonOrNull(paths.event(last), JournalEvent);
  const isReported = (await orNull(stat(paths.reportData))) !== null;
  return { events: numbers.length, lastEvent: event?.kind ?? null, isReported };
}

async function countAttempts({ home, runId }: Target): Promise<number> {
  const { lines } = await readLedgers(home);
  return openAttempts(lines).filter(({ run }) => run === runId).length;
}

function has(pending: readonly PendingActivity[], type: string): boolean {
  return pending.some((activity) => activity.type === type);
}
