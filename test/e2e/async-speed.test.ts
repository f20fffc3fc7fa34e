import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLedgers } from '../../src/adapters/ledger.ts';
import { readEvents } from '../../src/adapters/run-store.ts';
import { ledgerAttempts } from '../../src/domain/ledger.ts';
import { newHome, removeHome, runCommand, type RunningCommand, startUp } from '../support/cli.ts';
import { audit } from '../support/disturbed-run.ts';
import { copyProbe } from '../support/experiment-programs.ts';

/**
 * The same forty evaluations under both schedules. One in eight is long, so at a barrier each round waits for one of
 * them, while workers without a barrier go on with the others.
 */

const [NODES, WORKERS] = [40, 8];
const [SHORT_MS, LONG_MS] = [100, [6000, 4500, 5500, 4000, 5000]] as const;

/** The milliseconds of a draft by its number. */
function duration(draft: number): number {
  return (draft % WORKERS === 0 ? LONG_MS[draft / WORKERS] : undefined) ?? SHORT_MS;
}

function config(schedule: string): string {
  return stringify({
    task: 'probe',
    tasks_dir: 'experiments',
    devices: `cpu:${WORKERS}`,
    schedule,
    agent: {
      num_workers: WORKERS,
      search: { num_drafts: NODES },
      stages: { stage1_max_iters: NODES, stage2_max_iters: 0, stage3_max_iters: 0, stage4_max_iters: 0 },
      multi_seed_eval: { num_seeds: 0 },
    },
    proposer: { kind: 'scripted', script: 'script.yaml' },
    report: { html: false },
  });
}

const home = newHome();
let up: RunningCommand | null = null;

beforeAll(async () => {
  mkdirSync(join(home, 'experiments'));
  await copyProbe(join(home, 'experiments'), { frozen: [] });
  const entries = Array.from({ length: NODES }, (_, draft) => ({
    match: { item: `draft#${draft}` },
    parameters: { 'knob.duration_ms': duration(draft), x: draft / NODES },
  }));
  writeFileSync(join(home, 'script.yaml'), stringify({ entries }));
  for (const schedule of ['barrier', 'async']) writeFileSync(join(home, `${schedule}.yaml`), config(schedule));
  up = await startUp(home, `cpu:${WORKERS}`);
}, 240_000);

afterAll(async () => {
  up?.signal('SIGTERM');
  await up?.ended;
  await removeHome(home);
});

/** Runs it; seconds from the start of its first evaluation to the end of its last, and what was made. */
async function timed(schedule: 'barrier' | 'async'): Promise<{ seconds: number; work: string[] }> {
  const run = await runCommand(home, 'run', `${schedule}.yaml`, '--run-id', schedule);
  expect(run.code, run.out + run.err).toBe(0);
  const events = await readEvents({ root: home }, schedule);
  const made = events.filter((event) => event.kind === 'node');
  const work = made.map(({ node }) => `${node.item} ${node.status === 'good' ? node.metric : node.reason}`).sort();
  const evaluations = made.flatMap((event) => event.evaluations.map(({ result }) => String(result.evaluation)));
  const attempts = ledgerAttempts((await readLedgers({ root: home })).lines).filter(
    ({ run, evaluation }) => run === schedule && evaluations.includes(evaluation),
  );
  expect(attempts).toHaveLength(NODES);
  const begin = Math.min(...attempts.map(({ startedAt }) => startedAt));
  const end = Math.max(...attempts.map(({ deadAt }) => deadAt ?? NaN));
  return { seconds: (end - begin) / 1000, work };
}

test('the same work on 8 workers, with one long evaluation in eight, takes at least twice as long at a barrier', async () => {
  const barrier = await timed('barrier');
  const async = await timed('async');
  const ratio = barrier.seconds / async.seconds;
  process.stdout.write(
    `barrier ${barrier.seconds.toFixed(1)} s, async ${async.seconds.toFixed(1)} s, ratio ${ratio.toFixed(2)}\n`,
  );
  expect(async.work).toEqual(barrier.work);
  expect(new Set(async.work).size).toBe(NODES);
  expect(await audit(home)).toMatchObject({ open: [], overlaps: [], doubled: [] });
  expect(ratio).toBeGreaterThanOrEqual(2);
}, 600_000);
