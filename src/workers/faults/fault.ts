import type { Home } from '../../adapters/layout.ts';

/**
 * Faults as functions: what is done to the processes of a project while a run goes on. They are judged by
 * the outcome alone: what the ledgers and the journal say afterwards (domain/run-audit.ts).
 *
 * F1 A fault reaches only what this project's own records name, by pid, start time and boot id: never a
 *    process that merely looks like one, and never an outside server.
 */

/** The moments of a run, as they can be told from outside (sight.ts). Several may hold at once. */
export const PHASES = [
  'before_first_node',
  'proposing',
  'queued',
  'running',
  'reporting',
  'between_rounds',
  'stage_change',
  'continue_as_new',
  'report',
] as const;
/** A moment of a run. */
export type Phase = (typeof PHASES)[number];

/** What a fault is done to. */
export interface Target {
  readonly home: Home;
  readonly runId: string;
}

/** A fault that was done. */
export interface Blow {
  /** What was hit, one part each: `SIGKILL device-cpu0 (4711)`. */
  readonly hits: readonly string[];
  /** Takes back a fault that lasts (a stopped process goes on); `null` for one that is over at once. */
  readonly release: (() => Promise<void>) | null;
}

/** A kind of fault. */
export interface Fault {
  /** snake_case, as `scientist chaos --faults` takes it. */
  readonly name: string;
  /** What it does, for people. */
  readonly about: string;
  /** The phases in which there is something for it to hit. */
  readonly phases: readonly Phase[];
  /**
   * Whether a run with it may end with other nodes than without: what is done to a program itself is a result
   * of that program.
   */
  readonly changesResults: boolean;
  /** Does it once, now; `null` when nothing of the kind is there. */
  strike(target: Target): Promise<Blow | null>;
}
