import type { NodeId } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import { findNode } from '../domain/journal.ts';
import type { StageNode } from '../domain/node.ts';
import type { PlanComponent } from '../domain/run-plan.ts';
import type { StageDefinition } from '../domain/stage.ts';
import type { AddItemPayload } from '../domain/steering.ts';
import { isPruned } from './pruning.ts';
import type { StageState } from './stage-state.ts';
import { keyOf, MOST_ADDED } from './wishes.ts';
import { workKeyOf } from './work.ts';

/** Why a stage refuses what a person asks for, in words; `null` when it can be done. Pure. */

/** What is asked of the stage: its state and what is being made. */
export interface SteeredStage {
  readonly components: readonly PlanComponent[];
  /** With the node limit that is in force. */
  readonly stage: StageDefinition;
  /** The node that was carried into the stage; `null` when it starts from nothing. */
  readonly startsFrom: NodeId | null;
  readonly state: StageState;
  readonly making: readonly { readonly node: NodeId; readonly item: NodeItem }[];
  /** Whether the stage still gives out nodes. */
  readonly isSearching: boolean;
}

/** Why a node cannot be pinned. */
export function whyNotPin(at: SteeredStage, node: NodeId): string | null {
  const found = findNode(at.state.journal, node);
  if (found === undefined) return unknownNode(at, node);
  return found.status === 'good' ? null : `${node} cannot be built on: it is ${conditionOf(found)}`;
}

/** Why a node cannot be pruned. */
export function whyNotPrune(at: SteeredStage, node: NodeId): string | null {
  const { journal } = at.state;
  if (at.startsFrom === node) return `the stage starts from ${node}, so nothing would be left; skip the stage instead`;
  const found = findNode(journal, node);
  if (isPruned(found)) return `${node} is pruned already`;
  const isMade = at.making.some((making) => making.node === node);
  return found === undefined && !isMade ? unknownNode(at, node) : null;
}

/** Why work cannot be added. */
export function whyNotAdd(at: SteeredStage, work: AddItemPayload): string | null {
  const { state, stage, making } = at;
  if (!at.isSearching) return 'the stage gives out no more nodes: it is evaluating its best ones again';
  const room = stage.maxNodes - state.dispatched - state.wishes.added.length;
  if (room <= 0) return `the stage has given out all of its ${stage.maxNodes} nodes; raise the limit with setBudget first`;
  if (state.wishes.added.length >= MOST_ADDED) return `${MOST_ADDED} added items are waiting already`;
  const problem = whyNotFrom(at, work) ?? whyNotTarget(at, work);
  if (problem !== null) return problem;
  const key = keyOf(work);
  if (making.some(({ item }) => workKeyOf(item) === key)) return 'this very work is being done already';
  if (state.wishes.added.some((added) => keyOf(added) === key)) return 'this very work was added already';
  return state.exhausted.includes(key) ? 'nothing is left to try there: such work was given up before' : null;
}

function whyNotFrom(at: SteeredStage, { operator, parent }: AddItemPayload): string | null {
  if (operator === 'merge') return 'only a strategy merges nodes';
  if (operator === 'draft') return whyNotDraft(at, parent);
  if (parent === null) return `${operator} needs a node to start from: {"parent": "n1"}`;
  const found = findNode(at.state.journal, parent);
  if (found === undefined) return unknownNode(at, parent);
  if (isPruned(found)) return `${parent} was pruned`;
  const wanted = operator === 'debug' ? 'buggy' : 'good';
  return found.status === wanted ? null : `${operator} starts from a ${wanted} node, and ${parent} is ${conditionOf(found)}`;
}

function whyNotDraft({ startsFrom }: SteeredStage, parent: NodeId | null): string | null {
  if (parent !== null) return 'a draft starts from nothing: leave out the parent';
  return startsFrom === null ? null : `this stage starts from ${startsFrom}, not from drafts`;
}

function whyNotTarget({ components }: SteeredStage, { operator, target }: AddItemPayload): string | null {
  if (operator !== 'tune' && operator !== 'ablate') return target === null ? null : `${operator} takes no target`;
  const may = components.filter((component) => (operator === 'tune' ? component.tunable : component.ablatable));
  const names = may.map(({ key }) => key).join(', ') || 'none';
  if (target === null) return `${operator} needs the component that it is about: ${names}`;
  const keys = operator === 'ablate' ? target.split('+') : [target];
  const unfit = keys.find((key) => !may.some((component) => component.key === key));
  return unfit === undefined ? null : `${unfit} is no component that ${operator} can be about: ${names}`;
}

function unknownNode({ making }: SteeredStage, node: NodeId): string {
  return making.some((running) => running.node === node)
    ? `${node} is still being made`
    : `this stage has no node ${node}; its nodes are in the query journal`;
}

function conditionOf(node: StageNode): string {
  return node.status === 'good' ? 'good' : `buggy (${node.reason})`;
}
