import { readFileSync } from 'node:fs';
import { groupOf, isSame, VectorFile, type VectorCase } from './format.ts';
import { GROUPS, NOT_CLAIMED } from './groups.ts';

/** What became of a case; `skipped` when its group, or the case itself, is not claimed. */
export type Verdict = 'passed' | 'failed' | 'skipped';

/** Runs one case. */
export function verdictOf(vector: VectorCase): { verdict: Verdict; actual: unknown } {
  const run = GROUPS[groupOf(vector)];
  if (run === undefined || whyNotClaimed(vector) !== null) return { verdict: 'skipped', actual: undefined };
  const actual = run(vector.input);
  return { verdict: isSame(actual, vector.output, vector.tolerance) ? 'passed' : 'failed', actual };
}

/** Why a case of a claimed group is not claimed; `null` for the others. */
export function whyNotClaimed({ case: name }: VectorCase): string | null {
  return Object.hasOwn(NOT_CLAIMED, name) ? (NOT_CLAIMED[name] ?? null) : null;
}

/** Reads a file of vectors; a `ZodError` when it is none. */
export function readVectors(path: string | URL): VectorCase[] {
  const file = VectorFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  if (file.cases.length !== file.case_count)
    throw new TypeError(`${file.case_count} cases were said, ${file.cases.length} are there`);
  return file.cases;
}
