import { z } from 'zod';
import { ComponentKey, type Edit, type ParameterValue } from './experiment.ts';
import type { FailureReason } from './failure.ts';
import { NodeId, Ref, RunId, StageName } from './ids.ts';
import { Item } from './item.ts';

/**
 * What a proposer is asked and what it answers. A proposer makes the edit of a node; it never decides
 * which node is made next (the policy does) nor who makes it (the strategy does).
 */

/** The kinds of proposer. */
export const ProposerKind = z.enum(['search_space', 'scripted']);
export type ProposerKind = z.infer<typeof ProposerKind>;

/** A proposed edit that is put on another node than that which it was made from. */
export const Rebase = z.strictObject({
  /** What the edit made of the item's parent. */
  made: Ref,
  label: z.string().max(200),
  plan: z.string().max(600),
  /** The node that it is put on. */
  onto: z.strictObject({ node: NodeId, experiment: Ref }),
});
export type Rebase = z.infer<typeof Rebase>;

/** What the proposal activity is told; the journal is read from the run's folder. */
export const ProposeInput = z.strictObject({
  runId: RunId,
  stage: StageName,
  /** The id that the node will have. */
  node: NodeId,
  item: Item,
  /** The parent's experiment; `null` for a draft. */
  parentExperiment: Ref.nullable(),
  /** Only journal events with a lower sequence number may be looked at, so that a retry answers the same. */
  before: z.number().int().min(0),
  /** The keys that the edit may touch (a section); `null` for all. */
  allowedKeys: z.array(ComponentKey).max(500).nullable(),
  /** An edit of the parent that was made already, to be put on a better node; absent when one is to be made. */
  rebase: Rebase.exactOptional(),
});
export type ProposeInput = z.infer<typeof ProposeInput>;

/** The answer of the proposal activity, at most 4 KiB. */
export const ProposeResult = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('proposed'),
    experiment: Ref,
    label: z.string().max(200),
    changed: z.array(ComponentKey).max(200),
    /** One sentence: what is tried and why. */
    plan: z.string().max(600),
  }),
  /** There is nothing left to try for this item. */
  z.strictObject({ status: z.literal('exhausted'), message: z.string().max(300) }),
  /** The edit touches a key outside of the section that the item may change; nothing is evaluated. */
  z.strictObject({ status: z.literal('outside'), message: z.string().max(600) }),
  /** Nodes that were to be united give the same key different values. */
  z.strictObject({ status: z.literal('conflict'), message: z.string().max(600) }),
  /** The answer could not be used; becomes a buggy node with reason `proposal_malformed`, without an experiment. */
  z.strictObject({ status: z.literal('malformed'), message: z.string().max(600) }),
]);
export type ProposeResult = z.infer<typeof ProposeResult>;

/** What is known of an earlier node, for proposers that learn from the journal. */
export interface PastNode {
  readonly id: NodeId;
  readonly stage: StageName;
  readonly operator: string;
  /** The node that it was made from; `null` for a root. */
  readonly parent: NodeId | null;
  readonly label: string;
  readonly parameters: Readonly<Record<ComponentKey, ParameterValue>>;
  /** The metric; `null` for a buggy node. */
  readonly metric: number | null;
  /** The value on each dataset the node was evaluated on. */
  readonly scores: Readonly<Record<string, number>>;
  /** The reason and message of a buggy node; `null` for a good one. */
  readonly failure: { readonly reason: FailureReason; readonly message: string } | null;
}

/** What a proposer decides: an edit with its label and plan, or why there is none. */
export type Proposal =
  | { readonly status: 'proposed'; readonly edit: Edit; readonly label: string; readonly plan: string }
  | { readonly status: 'exhausted'; readonly message: string }
  | { readonly status: 'malformed'; readonly message: string };
