import { stat } from 'node:fs/promises';
import { orNull } from '../adapters/atomic-file.ts';
import { runPaths, type Home } from '../adapters/layout.ts';
import { listRuns, loadRun, readableEvents } from '../adapters/run-store.ts';
import type { ForkedFrom } from '../domain/fork.ts';
import type { RunId } from '../domain/ids.ts';
import type { MetricSpec } from '../domain/metric.ts';
import { advance, noProgress, type Progress } from './follow/progress.ts';
import type { RunState } from './json-output.ts';
import { isAway, type RunDescription } from './run-client.ts';
import type { Services } from './services.ts';

/** What can be told of a run without changing anything. */
export interface SeenRun {
  readonly runId: RunId;
  readonly state: RunState;
  /** From the disk; `null` while the run is not resolved. */
  readonly onDisk: {
    readonly task: string;
    readonly metric: MetricSpec;
    readonly forkedFrom: ForkedFrom | null;
    readonly progress: Progress;
  } | null;
  /** Path of the report; `null` before it is written. */
  readonly report: string | null;
}

/** Looks at one run; `null` when neither the disk nor the server knows it. `services` = the server, if one runs. */
export async function seeRun(home: Home, runId: RunId, services: Services | null): Promise<SeenRun | null> {
  const description = await describedRun(runId, services);
  const known = (await listRuns(home)).includes(runId);
  if (!known && description === null) return null;
  const report = runPaths(home, runId).reportMarkdown;
  const written = (await orNull(stat(report))) !== null;
  return {
    runId,
    state: stateOf(description, { known, written }),
    onDisk: known ? await progressOnDisk(home, runId) : null,
    report: written ? report : null,
  };
}

/** The run that was resolved last; `null` when there is none. */
export async function latestRun(home: Home): Promise<string | null> {
  const runs = await listRuns(home);
  const times = await Promise.all(runs.map(async (runId) => (await orNull(stat(runPaths(home, runId).runFile)))?.mtimeMs ?? 0));
  const latest = Math.max(...times);
  return runs[times.indexOf(latest)] ?? null;
}

async function progressOnDisk(home: Home, runId: RunId): Promise<SeenRun['onDisk']> {
  const { plan, forkedFrom } = await loadRun(home, runId);
  const { events } = await readableEvents(home, runId);
  return { task: plan.task, metric: plan.metric, forkedFrom, progress: events.reduce(advance, noProgress(plan.metric)) };
}

/** A server that goes away while it is asked counts as none. */
async function describedRun(runId: RunId, services: Services | null): Promise<RunDescription | null> {
  try {
    return services === null ? null : await services.runs.describe(runId);
  } catch (error) {
    if (isAway(error)) return null;
    throw error;
  }
}

const CLOSED: Partial<Record<RunDescription['status'], RunState>> = {
  COMPLETED: 'finished',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
};

function stateOf(description: RunDescription | null, disk: { known: boolean; written: boolean }): RunState {
  if (description === null) return disk.written ? 'finished' : 'idle';
  if (description.closedAt === null) return disk.known ? 'running' : 'unresolved';
  return CLOSED[description.status] ?? 'failed';
}
