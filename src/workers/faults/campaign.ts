import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerLine } from '../../domain/ledger.ts';
import { randomStream } from '../../domain/random.ts';
import { type Fault, type Phase, type Target } from './fault.ts';
import { phasesOf, type Sight, type Watch } from './sight.ts';

/** A row of faults done to one run: planned from a seed, done when their phase comes, told as they are done. */

/** One fault that is to be done. */
export interface Step {
  readonly fault: Fault;
  /** The phase that is waited for; `null` = any moment. */
  readonly phase: Phase | null;
  /** Time to let pass first, milliseconds. */
  readonly delayMs: number;
  /** How long a fault that lasts stays, milliseconds; `null` = to the end of the run. */
  readonly holdMs: number | null;
  /** Whether the run must have gone on after the fault before this one; otherwise it may hit the recovery. */
  readonly afterRecovery: boolean;
}

/** A fault that was done, or that found nothing to hit. */
export interface Strike {
  readonly fault: string;
  readonly wanted: Phase | null;
  /** The phases that held at the last look before it. */
  readonly seen: readonly Phase[];
  /** Events of the journal at that look. */
  readonly events: number;
  /** Milliseconds since 1970, as in the ledgers. */
  readonly at: number;
  /** What was hit; empty when there was nothing. */
  readonly hits: readonly string[];
}

/** What a campaign is done with. */
export interface Campaign {
  readonly target: Target;
  readonly watch: Watch;
  readonly steps: readonly Step[];
  /** Events of history from which on a stage of this run drains (`server.max_history_events`). */
  readonly maxHistoryEvents: number;
  /** How long a phase is waited for before the fault is done as things are, milliseconds. */
  readonly phaseMs: number;
  /** Told each strike. */
  readonly tell: (strike: Strike) => void;
  /** Given what takes back a fault that lasts to the end of the run. */
  readonly keep: (release: () => Promise<void>) => void;
  /** Called again and again while it waits, to start anew what nobody else would. */
  readonly meanwhile?: () => void;
  /** Ends it after what is being done. */
  readonly signal?: AbortSignal;
}

/** How a plan is drawn. */
export interface PlanOptions {
  readonly seed: number;
  readonly kills: number;
  readonly faults: readonly Fault[];
  /** Longest pause before a fault, milliseconds. */
  readonly maxDelayMs: number;
  readonly holdMs: number;
}

const LOOK_MS = 5;
/** For that long it is tried to find something to hit. */
const VICTIM_MS = 3000;
/** A run that has not gone on by then is hit again as it is. */
const RECOVERY_MS = 90_000;
/** Phases that a run has once: whoever waits for them in any order may wait in vain. */
const ONCE: readonly Phase[] = ['before_first_node', 'report'];
/** One fault in this many does not wait for the recovery from the one before. */
const HASTY = 4;

/** Faults in random order, every kind as often as the others, each at a random moment or phase of a stage. */
export function planSteps({ seed, kills, faults, maxDelayMs, holdMs }: PlanOptions): Step[] {
  const random = randomStream(seed, 'chaos');
  const rounds = Math.ceil(kills / Math.max(1, faults.length));
  const order = Array.from({ length: rounds }, () => random.shuffle(faults)).flat();
  return order.slice(0, kills).map((fault) => ({
    fault,
    phase: random.below(2) === 0 ? null : (random.pick(fault.phases.filter((phase) => !ONCE.includes(phase))) ?? null),
    delayMs: random.below(maxDelayMs + 1),
    holdMs,
    afterRecovery: random.below(HASTY) !== 0,
  }));
}

/** Does the steps one after the other, up to the end of the run; returns what was done. */
export async function carryOut(campaign: Campaign): Promise<Strike[]> {
  const strikes: Strike[] = [];
  let before: Sight | null = null;
  for (const step of campaign.steps) {
    if (before !== null && step.afterRecovery) await untilGoesOn(campaign, before);
    await sleep(step.delayMs);
    const sight = await untilPhase(campaign, step.phase);
    if (sight === null) break;
    before = sight;
    const strike = await doStep(campaign, step, sight);
    strikes.push(strike);
    campaign.tell(strike);
  }
  return strikes;
}

/** For each strike the time until the next evaluation was started anywhere, milliseconds; `null` when none was. */
export function recoveries(strikes: readonly Strike[], lines: readonly LedgerLine[]): (number | null)[] {
  const starts = lines.filter(({ event }) => event === 'started').map(({ at }) => at);
  return strikes.map(({ at }) => {
    const next = Math.min(...starts.filter((start) => start >= at));
    return Number.isFinite(next) ? next - at : null;
  });
}

async function doStep(campaign: Campaign, { fault, phase, holdMs }: Step, sight: Sight): Promise<Strike> {
  const end = performance.now() + VICTIM_MS;
  for (let seen = sight; ; seen = await campaign.watch.look()) {
    const at = Date.now();
    const blow = await fault.strike(campaign.target);
    const isGivenUp = performance.now() > end || seen.isOver || campaign.signal?.aborted === true;
    if (blow === null && !isGivenUp) {
      campaign.meanwhile?.();
      continue;
    }
    const release = blow?.release ?? null;
    if (release !== null && holdMs === null) campaign.keep(release);
    if (release !== null && holdMs !== null) {
      await sleep(holdMs);
      await release();
    }
    const phases = phasesOf(seen, campaign.maxHistoryEvents);
    return { fault: fault.name, wanted: phase, seen: phases, events: seen.events, at, hits: blow?.hits ?? [] };
  }
}

/** Looks until the phase holds or has been waited for in vain; `null` when the run is over or the campaign is to end. */
async function untilPhase(campaign: Campaign, phase: Phase | null): Promise<Sight | null> {
  const end = performance.now() + campaign.phaseMs;
  for (;;) {
    const sight = await campaign.watch.look();
    if (sight.isOver || campaign.signal?.aborted === true) return null;
    const isSo = phase === null || phasesOf(sight, campaign.maxHistoryEvents).includes(phase);
    if (isSo || performance.now() > end) return sight;
    campaign.meanwhile?.();
    await sleep(LOOK_MS);
  }
}

/** Waits until the run has gone on since: an event more, and the server answers. */
async function untilGoesOn(campaign: Campaign, before: Sight): Promise<void> {
  const end = performance.now() + RECOVERY_MS;
  while (performance.now() < end && campaign.signal?.aborted !== true) {
    const sight = await campaign.watch.look();
    if (sight.isOver || (sight.events > before.events && sight.run !== null)) return;
    campaign.meanwhile?.();
    await sleep(50);
  }
}
