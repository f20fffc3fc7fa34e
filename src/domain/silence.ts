/**
 * How long something has shown no sign of life. Time counts only while the watcher itself looked: a machine
 * that slept, or was too busy to look, makes nobody silent.
 */
export interface Silence {
  /** The latest sign; `null` for none so far. */
  readonly sign: string | null;
  /** Whether the last look found a sign that was not there before; never the first one. */
  readonly heard: boolean;
  /** Silence that was really watched, milliseconds. */
  readonly silentMs: number;
  /** When it was last looked at, on a clock that does not jump, milliseconds. */
  readonly lookedAt: number;
}

/**
 * The silence after another look. A sign of life is one that differs from the one before; no sign at all
 * (`null`) is silence too. A gap between two looks counts for `maxStepMs` at most.
 */
export function afterLook(
  before: Silence | undefined,
  look: { readonly sign: string | null; readonly now: number; readonly maxStepMs: number },
): Silence {
  const { sign, now, maxStepMs } = look;
  if (before === undefined) return { sign, heard: false, silentMs: 0, lookedAt: now };
  if (sign !== null && sign !== before.sign) return { sign, heard: true, silentMs: 0, lookedAt: now };
  const gap = Math.min(Math.max(now - before.lookedAt, 0), maxStepMs);
  return { sign: before.sign, heard: false, silentMs: before.silentMs + gap, lookedAt: now };
}
