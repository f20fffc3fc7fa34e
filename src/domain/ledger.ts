import { z } from 'zod';
import { DeviceName, EvaluationId, RunId } from './ids.ts';

/**
 * The ledger: what ran on each device and when, kept outside Temporal, whose history forgets all but the
 * last attempt. It proves that a device runs one evaluation at a time (P4) and counts what was done twice.
 *
 * G1 `started` is on disk before anything of the attempt runs; `dead` when nothing of it is alive any more.
 * G2 A result is on disk before the `dead` line that calls it finished.
 */

const attempt = {
  v: z.literal(1),
  device: DeviceName,
  run: RunId,
  evaluation: EvaluationId,
  attempt: z.string(),
  /** Milliseconds since 1970 by the host's clock. */
  at: z.number().int().min(0),
};

/** One line of a device's ledger. */
export const LedgerLine = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('started'), ...attempt }),
  z.strictObject({
    event: z.literal('dead'),
    ...attempt,
    /** finished = with a result, good or bad; cancelled = ended on request; lost = its shim or worker was killed. */
    outcome: z.enum(['finished', 'cancelled', 'lost']),
  }),
]);
export type LedgerLine = z.infer<typeof LedgerLine>;

/** An attempt as the ledger knows it. */
export interface LedgerAttempt {
  readonly device: DeviceName;
  readonly run: RunId;
  readonly evaluation: EvaluationId;
  readonly attempt: string;
  readonly startedAt: number;
  /** `null` while it is not known to be dead. */
  readonly deadAt: number | null;
  readonly outcome: 'finished' | 'cancelled' | 'lost' | null;
}

/** What the ledgers of one or more devices prove. */
export interface LedgerAudit {
  readonly started: number;
  readonly finished: number;
  /** Not known to be dead. */
  readonly open: readonly LedgerAttempt[];
  /** Pairs that were alive at once on one device. */
  readonly overlaps: readonly (readonly [LedgerAttempt, LedgerAttempt])[];
  /** Pairs of one evaluation of one run that both finished, or were alive at once. */
  readonly doubled: readonly (readonly [LedgerAttempt, LedgerAttempt])[];
}

/** The attempts of some ledgers; lines of one device in the order in which they were written. */
export function ledgerAttempts(lines: readonly LedgerLine[]): LedgerAttempt[] {
  return fold(lines).attempts;
}

/** The attempts of some ledgers that are not known to be dead. */
export function openAttempts(lines: readonly LedgerLine[]): LedgerAttempt[] {
  return ledgerAttempts(lines).filter(isOpen);
}

function isOpen({ deadAt }: LedgerAttempt): boolean {
  return deadAt === null;
}

/** Audits the lines of one or more ledgers; lines of one device in the order in which they were written. */
export function auditLedger(lines: readonly LedgerLine[]): LedgerAudit {
  const { attempts, together } = fold(lines);
  const groups = Map.groupBy(attempts, ({ run, evaluation }) => `${run}/${evaluation}`);
  return {
    started: attempts.length,
    finished: attempts.filter(({ outcome }) => outcome === 'finished').length,
    open: attempts.filter(isOpen),
    overlaps: together.flatMap(([first, second]) => pairOf(attempts[first], attempts[second])),
    doubled: [...groups.values()].flatMap((group) => pairsOf(group).filter(([a, b]) => isDoubled(a, b))),
  };
}

/** On one device the order of the lines tells who was alive together; clocks are needed only across devices. */
function fold(lines: readonly LedgerLine[]): { attempts: LedgerAttempt[]; together: [number, number][] } {
  const attempts: LedgerAttempt[] = [];
  const together: [number, number][] = [];
  const open = new Map<string, number[]>();
  for (const line of lines) {
    const alive = open.get(line.device) ?? [];
    if (line.event === 'started') {
      together.push(...alive.map((earlier): [number, number] => [earlier, attempts.length]));
      open.set(line.device, [...alive, attempts.length]);
      attempts.push(attemptOf(line));
    } else {
      const index = alive.find((number) => isSame(attempts[number], line)) ?? -1;
      const ended = attempts[index];
      if (ended !== undefined) attempts[index] = { ...ended, deadAt: line.at, outcome: line.outcome };
      open.set(
        line.device,
        alive.filter((number) => number !== index),
      );
    }
  }
  return { attempts, together };
}

function attemptOf(line: LedgerLine): LedgerAttempt {
  const { device, run, evaluation, attempt: name, at } = line;
  return { device, run, evaluation, attempt: name, startedAt: at, deadAt: null, outcome: null };
}

function isSame(a: LedgerAttempt | undefined, b: LedgerLine): boolean {
  return a?.run === b.run && a.evaluation === b.evaluation && a.attempt === b.attempt;
}

function pairsOf(group: readonly LedgerAttempt[]): (readonly [LedgerAttempt, LedgerAttempt])[] {
  return group.flatMap((a, index) => group.slice(index + 1).map((b) => [a, b] as const));
}

function pairOf(a: LedgerAttempt | undefined, b: LedgerAttempt | undefined): (readonly [LedgerAttempt, LedgerAttempt])[] {
  return a === undefined || b === undefined ? [] : [[a, b]];
}

function isDoubled(a: LedgerAttempt, b: LedgerAttempt): boolean {
  const overlap = a.startedAt < (b.deadAt ?? Infinity) && b.startedAt < (a.deadAt ?? Infinity);
  return overlap || (a.outcome === 'finished' && b.outcome === 'finished');
}
