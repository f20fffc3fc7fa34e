import { defaultPayloadConverter } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import type { ControlActivities } from '../domain/activities.ts';
import { STAGE_NAMES, stageWorkflowId, type RunId } from '../domain/ids.ts';
import type { JournalEvent } from '../domain/journal.ts';
import { RecordEventInput } from '../domain/messages.ts';

const RECORD_EVENT: keyof ControlActivities = 'recordEvent';

/**
 * The journal of a run as its history holds it, by number: what the stages asked to be recorded. Where a number
 * was used twice, since the run was reset, the later execution counts. As long as the server keeps the history.
 */
export async function recordedEvents(client: Client, runId: RunId): Promise<Map<number, JournalEvent>> {
  const events = new Map<number, JournalEvent>();
  for (const stage of STAGE_NAMES) {
    const workflowId = stageWorkflowId(runId, stage);
    for (const executionId of await executionsOf(client, workflowId)) {
      const history = await client.workflow.getHandle(workflowId, executionId).fetchHistory();
      for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
        const payload = scheduled?.activityType?.name === RECORD_EVENT ? scheduled.input?.payloads?.[0] : undefined;
        if (payload === undefined) continue;
        const input = RecordEventInput.safeParse(defaultPayloadConverter.fromPayload(payload));
        if (input.success) events.set(input.data.event.seq, input.data.event);
      }
    }
  }
  return events;
}

/** Every execution of a workflow, continued and reset ones included, in order of their start. */
async function executionsOf(client: Client, workflowId: string): Promise<string[]> {
  const found: { runId: string; startTime: Date }[] = [];
  for await (const { runId, startTime } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
    found.push({ runId, startTime });
  return found.sort((a, b) => a.startTime.getTime() - b.startTime.getTime()).map(({ runId }) => runId);
}
