import { Context, getClient } from '@temporalio/activity';
import { PlatformFailure } from '../domain/failure.ts';
import { STAGE_NAMES, stageWorkflowId, type RunId, type StageName } from '../domain/ids.ts';

/**
 * Who may write the journal of a run. A reset gives a workflow a new execution and the server leaves stages
 * that the old one had started running, so two histories could write one journal, and share the devices.
 *
 * W1 A stage that begins ends what still runs of the run's other stages.
 * W2 An event that does not simply follow the last one is written only by the stage that its run waits for.
 */
export interface JournalWriter {
  /** Ends every other stage of the run that still goes on (W1). */
  endOthers(runId: RunId, stage: StageName): Promise<void>;
  /**
   * Returns when the workflow of this activity is the stage that its run waits for, or was started alone (W2).
   *
   * @throws PlatformFailure `InvariantBroken` otherwise
   */
  check(): Promise<void>;
}

/** Asks the server that the activity's own worker is connected to. */
export const temporalWriter: JournalWriter = {
  async endOthers(runId, stage) {
    const { run } = await standing();
    if (run !== runId) return;
    for (const other of STAGE_NAMES.filter((name) => name !== stage)) await endIfRunning(stageWorkflowId(runId, other));
  },
  async check() {
    await standing();
  },
};

/** The run of the asking stage; `null` for a stage that was started alone. */
async function standing(): Promise<{ run: string | null }> {
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined) return { run: null };
  const { workflowId } = execution;
  const own = await describe(workflowId);
  if (own?.status.name !== 'RUNNING' || own.runId !== execution.runId)
    throw refused(workflowId, 'this execution of it has ended, or was reset');
  const run = own.raw.workflowExecutionInfo?.parentExecution?.workflowId ?? '';
  if (run === '') return { run: null };
  const parent = await describe(run);
  const isWaitedFor =
    parent?.status.name === 'RUNNING' && (parent.raw.pendingChildren ?? []).some((child) => child.workflowId === workflowId);
  if (!isWaitedFor) throw refused(workflowId, `run ${run} does not wait for it any more`);
  return { run };
}

function refused(workflowId: string, why: string): PlatformFailure {
  return new PlatformFailure(
    'InvariantBroken',
    `${workflowId} may not write the journal: ${why}.`,
    'A stage that its run has left behind cannot be reset alone: reset the run (docs/operations.md, Reset).',
  );
}

async function endIfRunning(workflowId: string): Promise<void> {
  const left = await describe(workflowId);
  if (left?.status.name !== 'RUNNING') return;
  try {
    await getClient().workflow.getHandle(workflowId, left.runId).terminate('its run was reset to before this stage');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The current execution of a workflow; `null` when there never was one. */
async function describe(workflowId: string) {
  try {
    return await getClient().workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
