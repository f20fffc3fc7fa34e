import { isAway, type RunClient, type RunDescription } from '../run-client.ts';
import type { RunStatus, StageStatus } from '../../domain/messages.ts';

/** What the server said of a run when it was last asked. */
export interface Observation {
  /** `null` before the first answer, or when the server knows no such run. */
  readonly description: RunDescription | null;
  readonly run: RunStatus | null;
  readonly stage: StageStatus | null;
  /** Why the last question had no answer; `null` when it had one. */
  readonly away: string | null;
}

/** Before anything was asked. */
export const NOTHING_OBSERVED: Observation = { description: null, run: null, stage: null, away: null };

/** Asks the server once. A server that is away is an observation, not an error; the last answers stay. */
export async function observe(client: RunClient, runId: string, before: Observation): Promise<Observation> {
  try {
    const description = await client.describe(runId);
    if (description === null || description.closedAt !== null) return { ...before, description, stage: null, away: null };
    const run = await client.status(runId);
    if (run.kind === 'silent') return { ...before, description, away: 'no worker answers for the run; waiting for one' };
    const stage = run.value.stage === null ? null : await client.stageStatus(runId, run.value.stage);
    return { description, run: run.value, stage: stage?.kind === 'answer' ? stage.value : null, away: null };
  } catch (error) {
    if (isAway(error)) return { ...before, away: 'the server is away; waiting for it' };
    throw error;
  }
}
