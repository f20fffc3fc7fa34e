import { groupOf } from './format.ts';
import { readVectors, verdictOf, whyNotClaimed, type Verdict } from './run.ts';

/** `npm run vectors -- FILE`: runs every case of a file of reference vectors. */

const [path = new URL('./strategy-vectors.json', import.meta.url)] = process.argv.slice(2);
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const counts: Record<Verdict, number> = { passed: 0, failed: 0, skipped: 0 };
const skipped = new Set<string>();
for (const vector of readVectors(path)) {
  const { verdict, actual } = verdictOf(vector);
  const why = whyNotClaimed(vector);
  counts[verdict] += 1;
  if (why !== null) print(`skipped: ${vector.case}: ${why}`);
  else if (verdict === 'skipped') skipped.add(groupOf(vector));
  if (verdict === 'failed') print(`failed: ${vector.case}: got ${JSON.stringify(actual)}`);
}
if (skipped.size > 0) print(`groups skipped: ${[...skipped].join(', ')}`);
print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
