import { durationText } from '../../domain/duration.ts';
import type { RunAudit } from '../../domain/run-audit.ts';
import type { Step, Strike } from '../../workers/faults/campaign.ts';
import { tableLines } from './table.ts';

/** What `scientist chaos` prints: what it would do, what it did, and what the ledgers and the journal say afterwards. */

/** The steps of a plan, one line each. */
export function planLines(steps: readonly Step[]): string[] {
  const rows = steps.map(({ fault, phase, delayMs }, index) => [
    String(index + 1),
    fault.name,
    phase === null ? `after ${durationText(delayMs)}` : `at ${phase}`,
    fault.about,
  ]);
  return tableLines(rows);
}

/** One fault that was done; `beganAt` in milliseconds since 1970. */
export function strikeLine(strike: Strike, beganAt: number): string {
  const when = durationText(strike.at - beganAt);
  const where = `${strike.events} events${strike.seen.length === 0 ? '' : `, ${strike.seen.join(', ')}`}`;
  return `${when.padStart(7)}  ${strike.fault}: ${strike.hits.length === 0 ? 'nothing to hit' : strike.hits.join(', ')} (${where})`;
}

/** What is known at the end. */
export interface ChaosEnd {
  readonly strikes: readonly Strike[];
  /** Time until the next evaluation started, for each strike, milliseconds; `null` when none did. */
  readonly recoveries: readonly (number | null)[];
  readonly audit: RunAudit;
  /** Whether the run has ended; until then a result without an event is not lost. */
  readonly isOver: boolean;
}

/** The proof: what was lost, what was done twice, and how soon work went on. */
export function endLines({ strikes, recoveries, audit, isOver }: ChaosEnd): string[] {
  const hits = strikes.filter(({ hits: parts }) => parts.length > 0).length;
  const open = isOver ? audit.open.map(({ evaluation, device }) => `open: ${evaluation} on ${device}`) : [];
  return [
    `faults     ${hits} of ${strikes.length} found something to hit`,
    `attempts   ${audit.started} started, ${audit.finished} finished an evaluation`,
    `lost       ${audit.lost.length}${isOver ? '' : ' so far; the run goes on'}`,
    ...audit.lost.map(({ how, evaluation }) => `           ${how}: ${evaluation}`),
    `doubled    ${audit.doubled.length}`,
    ...audit.doubled.map(([a, b]) => `           ${a.evaluation}: ${a.attempt} on ${a.device}, ${b.attempt} on ${b.device}`),
    `at once    ${audit.overlaps.length} pairs on one device`,
    ...open.map((line) => `           ${line}`),
    `recovery   ${recoveryText(recoveries)}`,
  ];
}

function recoveryText(recoveries: readonly (number | null)[]): string {
  const times = recoveries.flatMap((ms) => (ms === null ? [] : [ms])).sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return 'no evaluation was started after a fault';
  const median = times[Math.floor(times.length / 2)] ?? first;
  return `next evaluation after ${durationText(first)} to ${durationText(last)}, median ${durationText(median)}`;
}
