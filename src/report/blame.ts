import type { Counterpart, JournalEvent } from '../domain/journal.ts';
import { numberText, titleText } from './words.ts';

/** What is said of a stage that broke the chain: which one it is, and by which comparison that is known. */
export function blameText({ blamed, old, made }: Extract<JournalEvent, { kind: 'blamed' }>): string {
  const after = `${made.node}, which it handed on, ${resultText(made)} on the datasets of this stage`;
  if (old === null) return `${titleText(blamed)} is to blame: ${after}, and there is no node before it`;
  return `${titleText(blamed)} is to blame: ${after}, and ${old.node}, which it started from, ${resultText(old)}`;
}

function resultText({ metric, evaluations }: Counterpart): string {
  if (metric !== null) return `gives ${numberText(metric)}`;
  const failed = evaluations.find(({ result }) => result.status === 'failed');
  return failed?.result.status === 'failed' ? `fails on ${failed.dataset} (${failed.result.reason})` : 'fails';
}
