import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { ControlActivities } from '../domain/activities.ts';
import { clip } from '../domain/failure.ts';

/** What a run tries again and again, as the server tells it: nothing is retried in silence. */

/** An activity that failed and will be, or is being, tried again. */
export const RetryingActivity = z.strictObject({
  /** Its type: `recordEvent`. */
  activity: z.string(),
  /** The number of the try that runs or comes next. */
  tries: z.number().int(),
  /** What its last try failed with, for people. */
  failure: z.string(),
});
export type RetryingActivity = z.infer<typeof RetryingActivity>;

/** Tries of its own that an activity had before it is worth a line. */
const FIRST_SHOWN = 2;
const MAX_MESSAGE = 300;
/** It looks on; no work waits for it. */
const NOT_WAITED_FOR: keyof ControlActivities = 'watchDevices';

/** What a workflow tries again now; most tries first. */
export async function retryingActivities(client: Client, workflowId: string): Promise<RetryingActivity[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const failing = (raw.pendingActivities ?? []).filter(
    ({ activityType, attempt, lastFailure }) =>
      activityType?.name !== NOT_WAITED_FOR && (attempt ?? 1) >= FIRST_SHOWN && Boolean(lastFailure),
  );
  return failing
    .map(({ activityType, attempt, lastFailure }) => ({
      activity: activityType?.name ?? 'an activity',
      tries: attempt ?? FIRST_SHOWN,
      failure: clip(lastFailure?.message ?? 'it failed', MAX_MESSAGE),
    }))
    .sort((a, b) => b.tries - a.tries);
}
