import type { Client, WorkflowHandle } from '@temporalio/client';

/** How large the history of one execution of a workflow is. */
export interface HistorySize {
  readonly workflowId: string;
  readonly events: number;
  readonly kib: number;
  /** Bytes of what it was started with: after continue-as-new, plan and carried state. */
  readonly startBytes: number;
  /** Bytes of the largest other payload. */
  readonly largestBytes: number;
}

/** The histories of the executions of a workflow, oldest first; those of continue-as-new each for itself. */
export async function historySizes(client: Client, workflowId: string): Promise<HistorySize[]> {
  const sizes: HistorySize[] = [];
  let runId: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId !== undefined && runId !== '') {
    const handle: WorkflowHandle = client.workflow.getHandle(workflowId, runId);
    const { historyLength, historySize } = await handle.describe();
    const [started, ...others] = (await handle.fetchHistory()).events ?? [];
    sizes.unshift({
      workflowId,
      events: historyLength,
      kib: Math.round((historySize ?? 0) / 1024),
      startBytes: payloadBytes(started).reduce((sum, bytes) => sum + bytes, 0),
      // The command that continues as new holds what the next execution is started with.
      largestBytes: Math.max(
        0,
        ...others.flatMap((event) => (event.workflowExecutionContinuedAsNewEventAttributes ? [] : payloadBytes(event))),
      ),
    });
    runId = started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  }
  return sizes;
}

/** The sizes of all payloads in an event, wherever they are in it. */
function payloadBytes(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && 'data' in value && value.data instanceof Uint8Array) return [value.data.length];
  return Object.values(value).flatMap(payloadBytes);
}
