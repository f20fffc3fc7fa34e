/**
 * How much is to be learned where: the difficulty weight and the upper confidence bound by which clusters of items
 * and single tasks are chosen (agentdescent, the clusters and samplers of its strategies).
 */

/** What keeps a cluster or task of a settled pass rate from never being chosen again. */
const FLOOR = 0.001;

/**
 * The weight of a pass rate: 1 plus the floor at one half, the floor alone where all passes or nothing does. A rate
 * outside [0, 1] is taken as the nearer end, and not-a-number as 0.
 */
export function difficultyWeight(passRate: number, floor = FLOOR): number {
  const rate = passRate > 0 ? Math.min(1, passRate) : 0;
  return 4 * rate * (1 - rate) + floor;
}

/** What a score is made from. */
export interface Evidence {
  /** What is known to be worth it. */
  readonly value: number;
  /** Trials of this one; may be a fraction. */
  readonly trials: number;
  /** All choices made, of this one and the others. */
  readonly total: number;
  /** The weight of what is not known, at least 0. */
  readonly c: number;
}

/** The upper confidence bound of a value; positive infinity for what was never tried. */
export function ucbScore({ value, trials, total, c }: Evidence): number {
  if (trials <= 0) return Number.POSITIVE_INFINITY;
  return value + c * Math.sqrt(Math.log(Math.max(2, total)) / trials);
}
