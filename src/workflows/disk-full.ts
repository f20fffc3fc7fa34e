import { ActivityFailure, sleep } from '@temporalio/workflow';
import { readProblem } from './failures.ts';

/** Between two looks at a disk that was full; whoever frees it waits no longer than this. */
const PAUSE_MS = 10_000;

/** Whether an activity failed because there is no space on the disk that holds the run. */
function isDiskFull(error: unknown): boolean {
  return error instanceof ActivityFailure && readProblem(error).ended === 'no_space';
}

/**
 * Calls an activity again and again while the disk is full. That is nobody's failure and decides nothing, so a
 * run that met a full disk has the journal of one that did not (P2).
 */
export async function whenThereIsSpace<T>(call: () => Promise<T>, waiting: () => void = () => undefined): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      waiting();
      await sleep(PAUSE_MS);
    }
  }
}
