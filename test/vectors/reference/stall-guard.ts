import { z } from 'zod';

/**
 * The stall guard: when results keep coming in and nothing of them is taken, all workers are to start over from
 * the newest state. A sweep is one look at the results that have come in; one without results is not noted.
 */

/** What the guard remembers. */
export const StallState = z.strictObject({
  /** Sweeps in a row from which nothing was taken, since the last one that was forced. */
  idle: z.number().int().min(0),
  /** How often workers were made to start over. */
  forced: z.number().int().min(0),
});
export type StallState = z.infer<typeof StallState>;

/** Sweeps in a row from which nothing was taken before workers start over. */
export const STALL_PATIENCE = 50;

/** The guard before the first sweep. */
export function initialStall(): StallState {
  return { idle: 0, forced: 0 };
}

/** After a sweep over results; `isTaken`: something of them was taken. */
export function withSweep(state: StallState, isTaken: boolean): StallState {
  return { ...state, idle: isTaken ? 0 : state.idle + 1 };
}

/** Whether workers are to start over now. */
export function isStalled({ idle }: StallState, patience: number = STALL_PATIENCE): boolean {
  return idle >= patience;
}

/** After workers were made to start over; the count of sweeps begins anew. */
export function withForcedRefresh({ forced }: StallState): StallState {
  return { idle: 0, forced: forced + 1 };
}
