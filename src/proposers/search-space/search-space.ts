import { assertNever } from '../../domain/failure.ts';
import type { Proposal } from '../../domain/proposal.ts';
import type { ProposalContext, Proposer } from '../proposer.ts';
import { ablate } from './ablate.ts';
import { exhausted } from './answers.ts';
import { debug } from './debug.ts';
import { draft } from './draft.ts';
import { improve } from './improve.ts';
import { tune } from './tune.ts';

/**
 * The proposer that needs no model: it walks the task's component space, one operator a file. It is a pure
 * function of its context: every draw comes from a stream named after the seed and the work.
 *
 * P1 A proposal stays inside the space, and touches only keys that count, are allowed and are not frozen.
 * P2 Items of the same work that are under way together never get equal proposals.
 * P3 Every operator ends: when nothing new is left it says `exhausted`.
 */
export function createSearchSpaceProposer(): Proposer {
  return { propose: (context) => Promise.resolve(decide(context)) };
}

function decide(context: ProposalContext): Proposal {
  switch (context.item.operator) {
    case 'draft':
      return draft(context);
    case 'debug':
      return debug(context);
    case 'improve':
      return improve(context);
    case 'tune':
      return tune(context);
    case 'ablate':
      return ablate(context);
    case 'merge':
      return exhausted('a merge is made without a proposer');
    default:
      return assertNever(context.item.operator);
  }
}
