import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runPaths } from '../../src/adapters/layout.ts';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';
import { ResultLine } from '../../src/domain/evaluation.ts';
import { ledgerAttempts, type LedgerAttempt } from '../../src/domain/ledger.ts';
import { IS_WHOLE } from '../support/chaos-run.ts';
import { newHome, removeHome, runCommand, startCommand } from '../support/cli.ts';
import { audit, comparableJournal, killBusyDevice } from '../support/disturbed-run.ts';
import { until } from '../support/gate.ts';

/** The real command over the shipped task `digits`: a network in training is killed together with its device worker. */

/** One draft, which is a network: the first family in the copy of the task. */
const CONFIG = [
  'task: digits',
  'tasks_dir: experiments',
  'devices: cpu:2',
  'deterministic: true',
  'agent:',
  '  num_workers: 1',
  '  search: {num_drafts: 1}',
  '  stages: {stage1_max_iters: 1, stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0}',
  '  multi_seed_eval: {num_seeds: 0}',
  'search: {all_datasets_from: 5}',
  '',
].join('\n');

const EPOCHS = 60;
const homes: string[] = [];

function newTrainingHome(): string {
  const home = newHome(CONFIG);
  homes.push(home);
  const folder = join(home, 'experiments', 'digits');
  cpSync(join(PACKAGE_ROOT, 'experiments', 'digits'), folder, { recursive: true });
  const file = join(folder, 'task.yaml');
  const task = readFileSync(file, 'utf8');
  const network = task
    .replace(/values: \[(logistic.*?), mlp(.*?)\], default: logistic/, 'values: [mlp, $1$2], default: mlp')
    .replace('max: 40, log: true, default: 10', `max: ${EPOCHS}, log: true, default: ${EPOCHS}`);
  writeFileSync(file, network);
  return home;
}

afterEach(async () => {
  for (const home of homes.splice(0)) await removeHome(home);
});

/** The attempts, in the order of their starts. */
async function attemptsOf(home: string): Promise<LedgerAttempt[]> {
  const attempts = ledgerAttempts((await readLedgers({ root: home })).lines);
  return attempts.sort((one, other) => one.startedAt - other.startedAt);
}

function stepsOf(home: string, { run, evaluation, attempt }: LedgerAttempt): number[] {
  const file = join(runPaths({ root: home }, run).attempt(evaluation, attempt), 'results.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  return lines.map((line) => ResultLine.parse(JSON.parse(line))).flatMap(({ step }) => (step === undefined ? [] : [step]));
}

test.runIf(IS_WHOLE)(
  'a network goes on from its last epoch after it was killed with its worker, and the journal is that of a calm run',
  async () => {
    const home = newTrainingHome();
    const run = startCommand(home, 'run', 'config.yaml', '--run-id', 'trained');
    let hasEnded = false;
    void run.ended.then(() => (hasEnded = true));
    await until(async () => hasEnded || (await attemptsOf(home)).some((attempt) => stepsOf(home, attempt).length > 20));
    expect(hasEnded, `${run.out()}\n${run.err()}`).toBe(false);
    const [killed] = await attemptsOf(home);
    await killBusyDevice(home, killed?.device ?? '', true);
    expect(await run.ended, `${run.out()}\n${run.err()}`).toBe(0);

    const [first, second] = (await attemptsOf(home)).filter(({ evaluation }) => evaluation === killed?.evaluation);
    if (first === undefined || second === undefined) throw new Error('there was one attempt only: it was not killed');
    expect([first.outcome, second.outcome]).toEqual(['lost', 'finished']);
    const [before, after] = [stepsOf(home, first), stepsOf(home, second)];
    expect(after[0]).toBeGreaterThanOrEqual(before.length);
    // Every epoch of the three folds, and the folds; one may have been saved and not reported when it was killed.
    const all = 3 * (EPOCHS + 1);
    expect(before.length + after.length).toBeGreaterThanOrEqual(all - 1);
    expect(before.length + after.length).toBeLessThanOrEqual(all);
    expect(await audit(home)).toMatchObject({ doubled: [], overlaps: [], open: [] });

    const calm = newTrainingHome();
    expect(await runCommand(calm, 'run', 'config.yaml', '--run-id', 'trained')).toMatchObject({ code: 0 });
    expect(await comparableJournal(home, 'trained')).toEqual(await comparableJournal(calm, 'trained'));
  },
  600_000,
);
