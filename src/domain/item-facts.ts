import { z } from 'zod';

/** What strategies know of an item, beside its id. */

/** The things that an item can be about, by which a strategy may sort items. Closed list. */
export const Subject = z.enum(['target', 'operator', 'family', 'component_group']);
export type Subject = z.infer<typeof Subject>;

/** What an item is about; `null` where it has no such thing. */
export interface ItemFacts extends Readonly<Record<Subject, string | null>> {
  /** The node operator, `replicate` or `plot`. */
  readonly operator: string;
  /** The node that it starts from. */
  readonly parent: string | null;
  /** The component key that it is about (tune, ablate); the nodes to unite, as `n4+n7`, of a merge. */
  readonly target: string | null;
  /** The family of the node that it starts from: what the draft was called, or the improvement that left it. */
  readonly family: string | null;
  /** The task's group of the component that it is about. */
  readonly component_group: string | null;
}

/** Nodes made from one base to be united in one node. */
export interface Merge {
  readonly base: string;
  /** Two or more, in the order in which their changes are applied. */
  readonly nodes: readonly string[];
}
