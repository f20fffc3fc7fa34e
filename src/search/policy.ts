import type { Item, NodeItem } from '../domain/item.ts';
import type { StageJournal } from '../domain/journal.ts';
import type { RunPlan } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import type { Tally } from './tally.ts';
import type { Wishes } from './wishes.ts';

/** What a policy decides from. Everything in it is data, so equal inputs give equal backlogs. */
export interface PolicyInput {
  readonly plan: Pick<RunPlan, 'search' | 'metric' | 'components' | 'seed'>;
  /** The stage, with the node limit that is in force. */
  readonly stage: StageDefinition;
  readonly journal: StageJournal;
  /** Items being worked on. */
  readonly inFlight: readonly Item[];
  /** How often each work (see {@link workKey}) was given out in this stage, dropped ones included. */
  readonly tried: Tally;
  /** Work that has nothing left to try. */
  readonly exhausted: readonly string[];
  /** Nodes given out in this stage. */
  readonly dispatched: number;
  /**
   * Component keys that count for the stage's base, and in a stage that ablates are not ablated already; empty
   * when it starts from nothing.
   */
  readonly activeKeys: readonly string[];
  /** What a person asked for. */
  readonly wishes: Wishes;
}

/** A policy turns the journal into the ordered backlog of items: which node is worked on, and how. */
export interface Policy {
  readonly name: string;
  /**
   * At most `want` items that make nodes, most wanted first, with distinct ids, none of them in flight;
   * fewer when the stage's limit or the space leaves no more. Always ends.
   */
  backlog(input: PolicyInput, want: number): NodeItem[];
}
