import { CancellationScope, isCancellation, log } from '@temporalio/workflow';
import { isQuiet, WatchReport } from '../domain/watch.ts';
import { watcher } from './activity-proxies.ts';
import type { StageRuntime } from './stage-runtime.ts';
import { showDetails } from './visibility.ts';

/**
 * A stage's eye on its devices: an activity that ends when one is lost, back or new. It holds nothing and
 * counts as nothing in flight; it is ended with the stage, and before continue-as-new.
 */

/** Silence shorter than this may be a server's restart. */
const MIN_SILENCE_MS = 10_000;

/** Begins to watch; the returned function ends it at once. Does nothing in an execution begun before 0.2.0. */
export function watchDevices(runtime: StageRuntime): () => void {
  if (!runtime.pool.isWatched) return () => undefined;
  const scope = new CancellationScope();
  void scope
    .run(() => watch(runtime))
    .catch((error: unknown) => {
      if (!isCancellation(error)) log.warn('the devices are not watched any more', { error: String(error) });
    });
  return () => {
    scope.cancel();
  };
}

/**
 * A device counts as lost when it is silent for the heartbeat time-out: its evaluation has just timed out by
 * then, so what is taken off it waits on a queue that nobody polls, and no program is ended for nothing.
 */
async function watch(runtime: StageRuntime): Promise<never> {
  const { plan, pool } = runtime;
  const silentMs = Math.max(plan.exec.heartbeatTimeoutMs, MIN_SILENCE_MS);
  const known = new Set(plan.devices.map(({ queue }) => queue));
  for (;;) {
    const added = pool.devices.filter(({ queue }) => !known.has(queue));
    const answer = await watcher(plan).watchDevices({ runId: plan.runId, added, lost: [...pool.lost.keys()], silentMs });
    const report = WatchReport.parse(answer);
    report.returned.forEach((queue) => {
      pool.restore(queue);
    });
    report.added.forEach((device) => {
      pool.add(device);
    });
    report.lost.forEach((device) => {
      pool.lose(device);
    });
    if (isQuiet(report)) continue;
    log.warn('devices have changed', { ...report });
    showDetails(runtime);
  }
}
