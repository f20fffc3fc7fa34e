import type { NodeItem } from '../domain/item.ts';
import { draftsMade } from '../domain/journal.ts';
import type { PolicyInput } from './policy.ts';
import { nodeItems, workKey, workSet } from './work.ts';

/** Whether roots are still missing: drafts that became nodes or are being made, against `numDrafts`. */
export function isDraftDue(input: PolicyInput, chosen: readonly NodeItem[] = []): boolean {
  if (input.journal.base !== null || workSet(input.exhausted).has(workKey('draft', null, null))) return false;
  const made = draftsMade(input.journal);
  const coming = [...nodeItems(input.inFlight), ...chosen].filter((item) => item.operator === 'draft').length;
  return made + coming < input.plan.search.numDrafts;
}
