/**
 * What becomes of an evaluation whose try on a device gave no result. A candidate is never tried twice for
 * what it did itself: that is a result. What is counted here is what happened around it.
 *
 * | a try ended because | counts | then |
 * | --- | --- | --- |
 * | it was interrupted (device lost before it began, paused) | no | given out anew |
 * | its worker was told to end, or all workers died together | no | given out anew |
 * | its worker was lost with it (killed, or silent for exec.heartbeat_timeout) | as lost | 2 tries on a device, then another |
 * | the disk is full | no | given out anew after a pause, for hours (P3) |
 * | the machine failed it (shim killed, no permission) | as failed | 2 tries on a device, then another |
 * | what no device can mend (artifact missing) | | given up at once |
 *
 * Y1 Given up with `infrastructure` after 2 × exec.max_dispatches tries that count.
 * Y2 Given up with `poison` after 4 lost tries on at least two devices, or on the only one. A training that
 *    outlived its worker and was adopted is not lost, so killing workers alone never makes a poison.
 * Y3 Whatever happens, at most {@link MAX_TRIES} tries.
 */

/** Why a try gave no result. */
export type TryEnd = 'interrupted' | 'stopped' | 'lost' | 'no_space' | 'failed' | 'final';

/** A try that gave no result. */
export interface Try {
  /** The queue of its device. */
  readonly device: string;
  readonly ended: TryEnd;
}

/** What is done after a try without a result. */
export type NextStep =
  | {
      readonly kind: 'again';
      /** Queues of devices that get it only where the run has no other. */
      readonly avoid: ReadonlySet<string>;
      /** Queues of devices that get it only where no other is free. */
      readonly ratherNot: ReadonlySet<string>;
      /** Pause before it, milliseconds. */
      readonly pauseMs: number;
    }
  | { readonly kind: 'give up'; readonly reason: 'infrastructure' | 'poison' };

/** Tries that count on one device before another is preferred. */
export const TRIES_PER_DEVICE = 2;
/** Lost tries after which a candidate is believed to take its workers down: two on each of two devices. */
const POISON_LOSSES = 2 * TRIES_PER_DEVICE;
/** Tries of any kind; a dispatch number has three digits. */
export const MAX_TRIES = 500;
const MAX_PAUSE_MS = 30_000;
/** Between two looks at a full disk, growing: {@link MAX_TRIES} of them are a working day. */
const NO_SPACE_PAUSE_MS = { least: 2000, most: 60_000 };

/** Decides what becomes of an evaluation after its tries so far, of which there is at least one. */
export function nextStep(tries: readonly Try[], limits: { maxDispatches: number; devices: number }): NextStep {
  const counted = tries.filter(({ ended }) => ended === 'lost' || ended === 'failed');
  const lost = counted.filter(({ ended }) => ended === 'lost');
  const takenDown = new Set(lost.map(({ device }) => device)).size;
  if (lost.length >= POISON_LOSSES && takenDown >= Math.min(2, limits.devices)) return { kind: 'give up', reason: 'poison' };
  const isSpent = counted.length >= TRIES_PER_DEVICE * limits.maxDispatches || tries.length >= MAX_TRIES;
  const last = tries.at(-1)?.ended;
  if (isSpent || last === 'final') return { kind: 'give up', reason: 'infrastructure' };
  const doesCount = last === 'lost' || last === 'failed';
  return {
    kind: 'again',
    avoid: spentDevices(counted),
    ratherNot: new Set(counted.map(({ device }) => device)),
    pauseMs:
      last === 'no_space' ? pauseWithoutSpace(tries) : doesCount ? Math.min(1000 * 2 ** (counted.length - 1), MAX_PAUSE_MS) : 0,
  };
}

function spentDevices(counted: readonly Try[]): Set<string> {
  const byDevice = Map.groupBy(counted, ({ device }) => device);
  return new Set([...byDevice].filter(([, tries]) => tries.length >= TRIES_PER_DEVICE).map(([device]) => device));
}

function pauseWithoutSpace(tries: readonly Try[]): number {
  const since = tries.length - 1 - tries.findLastIndex(({ ended }) => ended !== 'no_space');
  return Math.min(NO_SPACE_PAUSE_MS.least * 2 ** (since - 1), NO_SPACE_PAUSE_MS.most);
}
