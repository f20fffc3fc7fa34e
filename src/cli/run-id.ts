import type { Home } from '../adapters/layout.ts';
import { listRuns } from '../adapters/run-store.ts';
import { RunId, rerunOf } from '../domain/ids.ts';
import { editDistance } from '../domain/nearest-key.ts';
import { EXIT } from './exit-codes.ts';
import { CliFailure } from './failure-text.ts';

/** The id of a new run: `<task>-<yyyymmdd>-<n>`, with the first number that no run of that day has. */
export function chooseRunId(task: string, date: Date, taken: readonly string[]): RunId {
  const day = `${date.getFullYear()}${pad(date.getMonth() + 1)}${pad(date.getDate())}`;
  const used = new Set(taken);
  let number = 1;
  while (used.has(`${task}-${day}-${number}`)) number++;
  return RunId.parse(`${task}-${day}-${number}`);
}

/** A run id as a person gave it; refused with the rule for ids when it is none. */
export function parseRunId(text: string): RunId {
  const parsed = RunId.safeParse(text);
  if (parsed.success && rerunOf(text) === null) return parsed.data;
  const rule = parsed.error?.issues[0]?.message ?? 'such names belong to reruns';
  throw new CliFailure(
    EXIT.input,
    `${JSON.stringify(text)} is not a run id: ${rule}`,
    'see the ids of your runs with: scientist list',
  );
}

/** The id of a run that is on disk, as a person gave it; refused when it is no id or there is no such run. */
export async function knownRun(home: Home, text: string): Promise<RunId> {
  const runId = parseRunId(text);
  const known = await listRuns(home);
  if (!known.includes(runId)) throw unknownRun(runId, known);
  return runId;
}

/** The run with this id is not there: names the ones closest to it. */
export function unknownRun(id: string, known: readonly string[]): CliFailure {
  const near = nearest(id, known);
  const fix =
    near.length > 0
      ? `did you mean ${near.join(', ')}? All runs: scientist list`
      : 'there is no run yet; start one with: scientist run config/quick.yaml';
  return new CliFailure(EXIT.input, `there is no run ${id}`, fix);
}

/** Up to three known names, the most similar first. */
export function nearest(name: string, known: readonly string[]): string[] {
  const scored = known.map((other) => ({ other, distance: editDistance(name, other) }));
  return scored
    .sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
    .slice(0, 3)
    .map(({ other }) => other);
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
