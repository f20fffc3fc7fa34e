import type { StalenessPolicy } from '../domain/run-plan.ts';

/**
 * Staleness: what becomes of an edit that was made from an older state than the one it would be applied to.
 * Its lag is how many versions the state has gone on since.
 */

/**
 * What is done with an edit: applied as it is; `rebase` = applied to the newest state, measured there, and kept if
 * it is not worse; or thrown away.
 */
export type StalenessDecision = 'accept' | 'rebase' | 'discard';

/** An edit as the decision sees it; both numbers are whole numbers of versions. */
export interface StaleEdit {
  readonly lag: number;
  /** The largest lag that the policy `guarded` puts up with. */
  readonly tolerance: number;
  /** Whether what else is there may not fit the edit's result. */
  readonly isBreaking: boolean;
}

/** What becomes of an edit. A fresh one is accepted whatever it is; a stale one that breaks something never. */
export function decideStaleness(policy: StalenessPolicy, { lag, tolerance, isBreaking }: StaleEdit): StalenessDecision {
  if (lag <= 0) return 'accept';
  if (isBreaking) return 'discard';
  switch (policy) {
    case 'full':
      return 'accept';
    case 'guarded':
      return lag <= tolerance ? 'rebase' : 'discard';
    case 'reflective':
      return 'rebase';
  }
}
