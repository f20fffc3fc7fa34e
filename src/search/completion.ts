import { assertNever } from '../domain/failure.ts';
import { bestNode, goodNodes, nodesSinceBest } from '../domain/journal.ts';
import type { CompletionReason, CompletionRule } from '../domain/stage.ts';
import { stopReason, type Progress } from './early-stop.ts';
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
    case 'patience': {
      const holds = stopReason(progressOf(input), { target: null, patience: rule.nodes }) !== null;
      return holds ? `${rule.nodes} nodes in a row brought nothing better` : null;
    }
    case 'target': {
      const limits = { target: rewardOf(input, rule.value), patience: null };
      return stopReason(progressOf(input), limits) === null ? null : targetText(input, rule.value);
    }
    default:
      return assertNever(rule);
  }
}

function progressOf(input: PolicyInput): Progress {
  const { direction } = input.plan.metric;
  const best = bestNode(input.journal, direction);
  const stale = nodesSinceBest(input.journal, direction);
  return { best: best === undefined ? null : rewardOf(input, best.metric), stale };
}

/** A metric as a number that is higher the better it is. */
function rewardOf({ plan: { metric } }: PolicyInput, value: number): number {
  return metric.direction === 'maximize' ? value : -value;
}

function targetText({ journal, plan: { metric } }: PolicyInput, target: number): string {
  const best = bestNode(journal, metric.direction);
  return `${metric.name} of ${best?.id ?? 'none'} is ${best?.metric ?? 'unknown'}, ${target} wanted`;
}
