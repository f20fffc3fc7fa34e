import type { NodeId } from '../../domain/ids.ts';
import type { Random } from '../../domain/random.ts';
import type { Candidate } from './candidates.ts';

/** What is known of a clade, a candidate with all that descends from it, as if scores were shares of successes. */
export interface CladeCounts {
  readonly successes: number;
  readonly failures: number;
}

/** The counts of each candidate's clade; scores lie between 0 and 1, and one without a score counts nothing. O(N). */
export function cladeCounts(candidates: readonly Candidate[]): CladeCounts[] {
  const counts = new Map<NodeId, CladeCounts>();
  for (const { id, score, parent } of candidates.toReversed()) {
    const own = score === null ? NOTHING : { successes: score, failures: 1 - score };
    const clade = added(own, counts.get(id) ?? NOTHING);
    counts.set(id, clade);
    if (parent !== null) counts.set(parent, added(clade, counts.get(parent) ?? NOTHING));
  }
  return candidates.map(({ id }) => counts.get(id) ?? NOTHING);
}

/**
 * Thompson sampling over clades: a draw from each one's Beta distribution, and the candidate with the highest. So a
 * node counts by what came of it, and one of which little is known may win. O(N); `undefined` for an empty list.
 */
export function thompson(candidates: readonly Candidate[], random: Random): NodeId | undefined {
  const draws = cladeCounts(candidates).map(({ successes, failures }) => betaDraw(1 + successes, 1 + failures, random));
  let best = 0;
  for (const [place, draw] of draws.entries()) if (draw > (draws[best] ?? 0)) best = place;
  return candidates[best]?.id;
}

const NOTHING: CladeCounts = { successes: 0, failures: 0 };

function added(a: CladeCounts, b: CladeCounts): CladeCounts {
  return { successes: a.successes + b.successes, failures: a.failures + b.failures };
}

function betaDraw(a: number, b: number, random: Random): number {
  const [first, second] = [gammaDraw(a, random), gammaDraw(b, random)];
  return first / (first + second);
}

/** Draws that are refused at most; each is with a chance below 1 in 20. */
const MOST_REFUSED = 50;

/** A draw of the gamma distribution with a shape of at least 1 (Marsaglia and Tsang). */
function gammaDraw(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  for (let refused = 0; refused < MOST_REFUSED; refused++) {
    const x = normalDraw(random);
    const root = 1 + x / Math.sqrt(9 * d);
    const v = root * root * root;
    if (v > 0 && Math.log(random.next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
  return d;
}

/** A draw of about the standard normal distribution: the sum of twelve even ones, from additions alone. */
function normalDraw(random: Random): number {
  let sum = -6;
  for (let draws = 0; draws < 12; draws++) sum += random.next();
  return sum;
}
