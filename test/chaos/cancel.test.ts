import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { findSurvivors } from '../../src/adapters/process-tree.ts';
import { ledgerAttempts } from '../../src/domain/ledger.ts';
import { openAttempts } from '../../src/workers/faults/victims.ts';
import { removeHome, runCommand, startCommand } from '../support/cli.ts';
import { chaosConfig, chaosHome, isReported, RUN, startBystander } from '../support/chaos-run.ts';
import { until } from '../support/gate.ts';
import { rewrite } from '../support/shell.ts';

const homes: string[] = [];

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

test('a cancel ends programs that ignore SIGTERM and what they started, writes the report, and touches nothing else', async () => {
  const home = chaosHome(1, chaosConfig([4, 0, 0, 0], ['exec: {grace: 1s}']));
  homes.push(home);
  rewrite(join(home, 'experiments', 'probe', 'task.yaml'), /default: none/, 'default: ignore_sigterm');
  const bystander = await startBystander(home);
  const target = { home: { root: home }, runId: RUN };
  const run = startCommand(home, 'run', 'config.yaml', '--run-id', RUN);
  await until(async () => (await openAttempts(target)).filter(({ grandchildren }) => grandchildren.length > 0).length === 2);
  expect(await runCommand(home, 'cancel', RUN)).toMatchObject({ code: 0 });
  expect(await run.ended, run.out() + run.err()).toBe(1);
  const attempts = ledgerAttempts((await readLedgers(target.home)).lines);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  const folders = attempts.map(({ evaluation, attempt }) => runPaths(target.home, RUN).attempt(evaluation, attempt));
  expect(folders.flatMap((marker) => findSurvivors({ marker, shim: null }))).toEqual([]);
  expect(isReported(home)).toBe(true);
  expect(bystander.isAlive()).toBe(true);
  await bystander.end();
}, 300_000);
