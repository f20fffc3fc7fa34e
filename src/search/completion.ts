import { assertNever } from '../domain/failure.ts';
import { bestNode, goodNodes, nodesSinceBest } from '../domain/journal.ts';
import { isBetter } from '../domain/metric.ts';
import type { CompletionReason, CompletionRule } from '../domain/stage.ts';
import { isDraftDue } from './drafts.ts';
import type { PolicyInput } from './policy.ts';
import { nodeItems } from './work.ts';

/** Why a stage gives out no more nodes. */
export interface Completion {
  readonly reason: CompletionReason;
  /** The reason with its numbers, for people. */
  readonly text: string;
}

/**
 * Whether a stage is done, and why; `null` while it goes on. Only finished nodes count, and those that
 * were being made when the stage stopped giving out count too, since it is asked again when they are in.
 * Work that a person added is done before any rule but the limit of nodes ends the stage.
 */
export function completion(input: PolicyInput): Completion | null {
  const isFull = input.dispatched >= input.stage.maxNodes;
  if (!isFull && input.wishes.added.length > 0) return null;
  // A rule that holds as well is a better reason than the limit.
  for (const rule of input.stage.rules) {
    const text = ruleText(rule, input);
    if (text !== null) return { reason: rule.rule, text };
  }
  return isFull ? limitReached(input) : null;
}

function limitReached({ stage: { maxNodes }, wishes }: PolicyInput): Completion {
  return wishes.budgetLeft === maxNodes
    ? { reason: 'budget', text: `the run has made all the nodes of its budget, ${maxNodes} of them in this stage` }
    : { reason: 'node_limit', text: `all ${maxNodes} nodes of the stage were made` };
}

/** The end of a stage whose backlog is empty while nothing is being made. */
export function emptyBacklog(input: PolicyInput): Completion {
  const hasGood = bestNode(input.journal, input.plan.metric.direction) !== undefined;
  return hasGood
    ? { reason: 'exhausted', text: 'nothing is left to try' }
    : { reason: 'no_way_on', text: 'there is no good node and nothing left to repair' };
}

function ruleText(rule: CompletionRule, input: PolicyInput): string | null {
  switch (rule.rule) {
    case 'good_nodes': {
      const good = goodNodes(input.journal);
      const draftsComing = nodeItems(input.inFlight).some((item) => item.operator === 'draft');
      if (good < rule.min || draftsComing || isDraftDue(input)) return null;
      return `${good} good ${good === 1 ? 'node' : 'nodes'}, ${rule.min} wanted, and every draft is in`;
    }
    case 'patience':
      return nodesSinceBest(input.journal, input.plan.metric.direction) >= rule.nodes
        ? `${rule.nodes} nodes in a row brought nothing better`
        : null;
    case 'target':
      return targetText(input, rule.value);
    default:
      return assertNever(rule);
  }
}

function targetText({ journal, plan: { metric } }: PolicyInput, target: number): string | null {
  const best = bestNode(journal, metric.direction);
  if (best === undefined || isBetter(metric.direction, target, best.metric)) return null;
  return `${metric.name} of ${best.id} is ${best.metric}, ${target} wanted`;
}
