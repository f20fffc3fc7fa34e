import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { AttemptRecord } from '../../src/domain/attempt.ts';
import type { EvaluationRecord } from '../../src/domain/evaluation.ts';
import { newHome, removeHome, runCommand, TINIEST_CONFIG } from '../support/cli.ts';
import { audit, comparableJournal } from '../support/disturbed-run.ts';

/** Runs of the real command that follow each other in one project. */

const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

/** What was started for a run: how many programs for which purpose, and the evaluations of the search itself. */
async function startedFor(root: string, runId: string): Promise<{ search: string[]; replicas: number; plots: number }> {
  const home = { root };
  const { lines } = await readLedgers(home);
  const own = lines.filter((line) => line.event === 'started' && line.run === runId);
  const records = own.map(({ evaluation, attempt }) => {
    const file = join(runPaths(home, runId).attempt(evaluation, attempt), 'attempt.json');
    return AttemptRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  });
  const measured = records.filter(({ kind }) => kind === 'measure');
  return {
    search: measured.filter(({ seed }) => seed === 0).map(({ evaluation }) => evaluation),
    replicas: measured.filter(({ seed }) => seed !== 0).length,
    plots: records.length - measured.length,
  };
}

async function evaluationsOf(root: string, runId: string): Promise<EvaluationRecord[]> {
  const events = await readEvents({ root }, runId);
  return events.flatMap((event) => ('evaluations' in event ? event.evaluations : []));
}

async function run(home: string, runId: string, cache: string): Promise<void> {
  const { code, err } = await runCommand(home, 'run', 'config.yaml', '--run-id', runId, '--set', `cache=${cache}`);
  expect(code, err).toBe(0);
}

test('cache: project starts no program for what an earlier run found on the search seed, and all for fresh seeds', async () => {
  const home = newHome(TINIEST_CONFIG);
  homes.push(home);
  await run(home, 'one', 'project');
  await run(home, 'two', 'project');
  const [one, two] = [await startedFor(home, 'one'), await startedFor(home, 'two')];
  const failed = (await evaluationsOf(home, 'one')).filter(({ result }) => result.status === 'failed');
  expect(one.search.length).toBeGreaterThan(3);
  expect([...two.search].sort()).toEqual(failed.map(({ result }) => result.evaluation).sort());
  expect({ ...two, search: [] }).toEqual({ ...one, search: [] });
  expect(one.replicas).toBeGreaterThan(0);
  expect(await comparableJournal(home, 'two')).toEqual(await comparableJournal(home, 'one'));
  expect(await audit(home)).toMatchObject({ doubled: [], overlaps: [], open: [] });
  const report = readFileSync(runPaths({ root: home }, 'two').reportMarkdown, 'utf8');
  const cached = (await evaluationsOf(home, 'two')).filter(({ result }) => result.cached).length;
  expect(report).toContain(`${cached} taken from earlier results`);
}, 300_000);

test('cache: off runs every evaluation that the journal has, cache: run each equal one once, to equal values', async () => {
  const home = newHome(TINIEST_CONFIG);
  homes.push(home);
  await run(home, 'off', 'off');
  await run(home, 'once', 'run');
  const [off, once] = [await evaluationsOf(home, 'off'), await evaluationsOf(home, 'once')];
  expect(off.filter(({ result }) => result.cached)).toEqual([]);
  expect(new Set(off.map(({ result }) => result.evaluation)).size).toBe(off.length);
  const repeated = once.filter(({ result }) => result.cached).length;
  // The carried node of each later stage is first evaluated on what it was evaluated on before.
  expect(repeated).toBeGreaterThan(0);
  expect(new Set(once.map(({ result }) => result.evaluation)).size).toBe(once.length - repeated);
  const values = (records: readonly EvaluationRecord[]) =>
    records.map(({ dataset, seed, result }) => [dataset, seed, result.status === 'finished' ? result.value : result.reason]);
  expect(values(off)).toEqual(values(once));
}, 300_000);
