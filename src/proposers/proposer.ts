import type { Experiment } from '../domain/experiment.ts';
import type { NodeId, StageName } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import type { PastNode, Proposal } from '../domain/proposal.ts';
import type { MetricSpec } from '../domain/metric.ts';
import type { Task } from '../domain/task.ts';

/** What a proposer is given to make one edit from. All of it is data; equal contexts give equal proposals. */
export interface ProposalContext {
  readonly task: Task;
  readonly metric: MetricSpec;
  readonly stage: StageName;
  readonly node: NodeId;
  readonly item: NodeItem;
  /** The experiment to start from: the parent's, or the task's default for a draft. */
  readonly base: Experiment;
  /** The parent as far as it is known; `null` for a draft. */
  readonly parent: PastNode | null;
  /** The latest nodes of the run, oldest first; at most `proposer.window` of them. */
  readonly past: readonly PastNode[];
  /**
   * How many earlier items of the same work (operator, parent, target) have no outcome in the visible journal:
   * they are under way, with this journal or an older one. Item number `pending` of them takes the
   * `pending`-th best choice, so that no two of them make the same.
   */
  readonly pending: number;
  /** The keys that may change; `null` for all. */
  readonly allowedKeys: readonly string[] | null;
  readonly seed: number;
  /** Aborted when the proposal is cancelled or out of time. */
  readonly signal: AbortSignal;
}

/**
 * Makes edits, for every operator but `merge` (unite.ts). Pure for `search_space` and `scripted`; one that calls a
 * model records its answers.
 */
export interface Proposer {
  propose(context: ProposalContext): Promise<Proposal>;
}
