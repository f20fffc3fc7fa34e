import { isCancellation } from '@temporalio/workflow';
import { assertNever, clip, type DropReason, type FailureReason } from '../domain/failure.ts';
import type { CarriedNode } from '../domain/fork.ts';
import type { NodeId, Ref } from '../domain/ids.ts';
import type { Item, NodeItem } from '../domain/item.ts';
import { findNode, type StageJournal } from '../domain/journal.ts';
import type { GoodNode, GoodStageNode, Node, StageNode } from '../domain/node.ts';
import { ProposeResult, type ProposeInput, type Rebase } from '../domain/proposal.ts';
import { replicationSeed, searchSeed } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import { judgedNode, nodeCore, overallMetric, type ItemOutcome, type NodeDraft } from '../search/outcome.ts';
import { proposals } from './activity-proxies.ts';
import { whenThereIsSpace } from './disk-full.ts';
import { evaluate, evaluateInTurn, type EvaluationContext, type EvaluationRequest } from './evaluation.ts';
import { readProblem } from './failures.ts';
import type { Standing } from './standing.ts';

/** What the work on an item needs around it; the journal is the one at the time of the plan. */
export interface ItemContext extends EvaluationContext {
  readonly stage: StageDefinition;
  readonly journal: StageJournal;
  /** The node that is made or worked on. */
  readonly node: NodeId;
  /** Number of the next journal event when the item was given out. */
  readonly before: number;
  /** The keys that the edit may touch; `null` for all. */
  readonly allowedKeys: readonly string[] | null;
  /** Resolves when it is this item's turn to claim its experiment; plan order at a barrier. */
  readonly turn: Promise<void>;
  /** What it was cancelled as. */
  readonly endedAs: () => 'cancelled' | 'pruned';
  /** What becomes of an edit now, as its stage may have found better nodes since it was given out. */
  readonly standing: () => Standing;
  /** Claims an experiment for this item; false when another node has it. */
  readonly claim: (experiment: Ref) => boolean;
}

/** Works on an item; `null` when a replica or plot was cancelled, which leaves no trace. Never throws for a cancellation. */
export async function workOn(context: ItemContext, item: Item): Promise<ItemOutcome | null> {
  switch (item.kind) {
    case 'node':
      return makeNode(context, item);
    case 'replicate':
      return unlessCancelled(replicate(context, item.replica));
    case 'plot':
      return unlessCancelled(plot(context));
    default:
      return assertNever(item);
  }
}

/** Evaluates the carried node on the stage's datasets, all of them at once. */
export async function evaluateBase(
  context: EvaluationContext,
  stage: StageDefinition,
  carried: CarriedNode,
): Promise<ItemOutcome> {
  const requests = requestsFor(context, stage, carried);
  const evaluations = await Promise.all(requests.map((request) => evaluate(context, request)));
  // The node stays the one of the stage that made it; its values are this stage's, and so are its repairs.
  const { id, stage: madeIn, item, operator, parent, label, changed, experiment } = carried;
  const core = { id, stage: madeIn, item, operator, parent, label, changed, experiment, debugDepth: 0 };
  return { kind: 'base', node: judgedNode(core, context.plan.metric, evaluations), evaluations };
}

/** A node from proposal to metric. Whatever fails on the way, and a cancellation, makes it a buggy node (P3). */
async function makeNode(context: ItemContext, item: NodeItem): Promise<ItemOutcome> {
  const parent = findNode(context.journal, item.parent);
  let draft: NodeDraft = {
    id: context.node,
    stage: context.stage.name,
    item,
    parent,
    label: parent?.label ?? item.operator,
    changed: [],
  };
  let experiment: Ref | null = null;
  const fail = (reason: FailureReason, message: string): ItemOutcome => buggyNode(draft, experiment, { reason, message });
  try {
    context.doing('proposing');
    const { proposal, onto } = await freshProposal(context, item, parent);
    if (onto !== undefined) draft = { ...draft, parent: onto };
    await context.turn;
    if (proposal.status === 'malformed') return fail('proposal_malformed', proposal.message);
    if (proposal.status !== 'proposed') return dropped(item, dropReason(context, proposal.status), proposal.message);
    if (!context.claim(proposal.experiment)) return dropped(item, 'duplicate', 'the same experiment was proposed before');
    experiment = proposal.experiment;
    draft = { ...draft, label: proposal.label, changed: proposal.changed };
    const evaluations = await evaluateInTurn(context, requestsFor(context, context.stage, { id: draft.id, experiment }));
    const node = judgedNode({ ...nodeCore(draft), experiment }, context.plan.metric, evaluations);
    return { kind: 'node', node, plan: proposal.plan, evaluations };
  } catch (error) {
    if (isCancellation(error)) return fail(context.endedAs(), `${context.endedAs()} while it was being made`);
    return fail('infrastructure', readProblem(error).text);
  }
}

/** A proposal, and the node that it was put on where a better one than the item's parent came meanwhile. */
async function freshProposal(
  context: ItemContext,
  item: NodeItem,
  parent: StageNode | undefined,
): Promise<{ proposal: ProposeResult | Stale; onto?: GoodStageNode }> {
  const proposal = await propose(context, item, { parent });
  const standing = context.standing();
  if (proposal.status !== 'proposed' || standing.decision === 'accept') return { proposal };
  const { lag, head: onto } = standing;
  if (standing.decision === 'discard')
    return { proposal: { status: 'stale', message: `${lag} better nodes came since, the best of them ${onto.id}` } };
  const { experiment: made, label, plan } = proposal;
  const rebase: Rebase = { made, label, plan, onto: { node: onto.id, experiment: onto.experiment } };
  return { proposal: await propose(context, item, { parent, rebase }), onto };
}

/** An edit that came too late. */
interface Stale {
  readonly status: 'stale';
  readonly message: string;
}

async function propose(
  context: ItemContext,
  item: NodeItem,
  { parent, rebase }: { parent: StageNode | undefined; rebase?: Rebase },
): Promise<ProposeResult> {
  const step = rebase === undefined ? 'propose' : 'rebase';
  const proposer = proposals(context.plan, { activityId: `${context.node}/${step}`, summary: `${context.title}, ${step}` });
  const question: ProposeInput = {
    runId: context.plan.runId,
    stage: context.stage.name,
    node: context.node,
    item,
    parentExperiment: parent?.experiment ?? null,
    before: context.before,
    allowedKeys: context.allowedKeys === null ? null : [...context.allowedKeys],
    ...(rebase === undefined ? {} : { rebase }),
  };
  const waiting = (): void => context.doing('waiting for space on the disk');
  const answer = await whenThereIsSpace(() => proposer.propose(question), waiting);
  return ProposeResult.parse(answer);
}

function buggyNode(draft: NodeDraft, experiment: Ref | null, failure: { reason: FailureReason; message: string }): ItemOutcome {
  const node: Node = {
    ...nodeCore(draft),
    experiment,
    status: 'buggy',
    reason: failure.reason,
    message: clip(failure.message, 600),
  };
  return { kind: 'node', node, plan: '', evaluations: [] };
}

/** Why an item without a usable edit becomes no node. */
function dropReason({ allowedKeys }: ItemContext, status: 'exhausted' | 'outside' | 'conflict' | 'stale'): DropReason {
  if (status === 'outside') return 'section_violation';
  return status === 'exhausted' && allowedKeys !== null ? 'section_exhausted' : status;
}

function dropped(item: NodeItem, reason: DropReason, message: string): ItemOutcome {
  return { kind: 'dropped', item: item.id, reason, message };
}

async function replicate(context: ItemContext, replica: number): Promise<ItemOutcome> {
  const node = nodeOf(context);
  const seed = replicationSeed(context.plan, replica);
  const requests = requestsFor(context, context.stage, node).map((request) => ({ ...request, seed }));
  const evaluations = await evaluateInTurn(context, requests);
  return { kind: 'replica', node: node.id, replica, metric: overallMetric(context.plan.metric, evaluations), evaluations };
}

async function plot(context: ItemContext): Promise<ItemOutcome> {
  const node = nodeOf(context);
  const requests = requestsFor(context, context.stage, node).map((request) => ({ ...request, kind: 'plot' as const }));
  return { kind: 'plot', node: node.id, evaluations: await evaluateInTurn(context, requests) };
}

function requestsFor(
  context: EvaluationContext,
  stage: StageDefinition,
  node: Pick<GoodNode, 'id' | 'experiment'>,
): EvaluationRequest[] {
  const seed = searchSeed(context.plan);
  return stage.datasets.map((dataset) => ({
    stage: stage.name,
    node: node.id,
    experiment: node.experiment,
    kind: 'measure',
    dataset,
    seed,
  }));
}

function nodeOf(context: ItemContext): GoodStageNode {
  const node = findNode(context.journal, context.node);
  if (node?.status !== 'good') throw new TypeError(`there is no good node ${context.node} in this stage`);
  return node;
}

async function unlessCancelled(work: Promise<ItemOutcome>): Promise<ItemOutcome | null> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error)) return null;
    throw error;
  }
}
