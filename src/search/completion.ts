import { assertNever } from '../domain/failure.ts';
import { isBetter } from '../domain/metric.ts';
import { metricOf } from '../domain/node.ts';
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
 */
export function completion(input: PolicyInput): Completion | null {
  for (const rule of input.stage.rules) {
    const text = ruleText(rule, input);
    if (text !== null) return { reason: rule.rule, text };
  }
  if (input.dispatched < input.stage.maxNodes) return null;
  return { reason: 'node_limit', text: `all ${input.stage.maxNodes} nodes of the stage were made` };
}

/** The end of a stage whose backlog is empty while nothing is being made. */
export function emptyBacklog(input: PolicyInput): Completion {
  const hasGood = [input.journal.base, ...input.journal.nodes].some((node) => node?.status === 'good');
  return hasGood
    ? { reason: 'exhausted', text: 'nothing is left to try' }
    : { reason: 'no_way_on', text: 'there is no good node and nothing left to repair' };
}

function ruleText(rule: CompletionRule, input: PolicyInput): string | null {
  switch (rule.rule) {
    case 'good_nodes': {
      const good = input.journal.nodes.filter((node) => node.status === 'good').length;
      const draftsComing = nodeItems(input.inFlight).some((item) => item.operator === 'draft');
      if (good < rule.min || draftsComing || isDraftDue(input)) return null;
      return `${good} good ${good === 1 ? 'node' : 'nodes'}, ${rule.min} wanted, and every draft is in`;
    }
    case 'patience':
      return sinceBest(input) >= rule.nodes ? `${rule.nodes} nodes in a row brought nothing better` : null;
    default:
      return assertNever(rule);
  }
}

/** Nodes of the stage since the one that is the best so far. */
function sinceBest(input: PolicyInput): number {
  let best = input.journal.base === null ? null : metricOf(input.journal.base);
  let since = 0;
  for (const node of input.journal.nodes) {
    const metric = metricOf(node);
    const improves = isBetter(input.plan.metric.direction, metric, best);
    since = improves ? 0 : since + 1;
    if (improves) best = metric;
  }
  return since;
}
