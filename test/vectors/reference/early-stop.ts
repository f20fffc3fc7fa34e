/**
 * When a search has what it was after, or gets nowhere. Rewards are numbers, the higher the better. A stage asks its
 * journal (search/completion.ts), which takes any better value for better.
 */

/** How a search does. */
export interface Progress {
  /** The best reward so far; `null` before the first. */
  readonly best: number | null;
  /** Rewards since the best one. */
  readonly stale: number;
}

/** What ends it; `null` for no such limit. */
export interface StopLimits {
  /** A best reward of this or more. */
  readonly target: number | null;
  /** So many rewards in a row without a better one. */
  readonly patience: number | null;
}

/** By how much a reward has to be higher to be a better one. */
const LEAST_GAIN = 1e-9;

/** Progress with one reward more. */
export function withReward({ best, stale }: Progress, reward: number): Progress {
  return best === null || reward > best + LEAST_GAIN ? { best: reward, stale: 0 } : { best, stale: stale + 1 };
}

/** Why to stop, the target before patience; `null` to go on. */
export function stopReason({ best, stale }: Progress, { target, patience }: StopLimits): 'target' | 'patience' | null {
  if (target !== null && best !== null && best >= target) return 'target';
  return patience !== null && stale >= patience ? 'patience' : null;
}
