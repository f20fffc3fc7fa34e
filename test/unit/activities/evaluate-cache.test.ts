import { MockActivityEnvironment } from '@temporalio/testing';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeEvaluate } from '../../../src/activities/evaluate.ts';
import { sharedResultPath, type Home } from '../../../src/adapters/layout.ts';
import { readLedgers } from '../../../src/adapters/ledger.ts';
import { EvaluateInput, EvaluationResult } from '../../../src/domain/evaluation.ts';
import { replicationSeed } from '../../../src/domain/run-plan.ts';
import { jobOf, type ReadyRun } from '../../support/evaluations.ts';
import { readyTaskRun } from '../../support/task-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What `cache` does to equal evaluations, with the real activity and real programs. */

type Cache = 'run' | 'project' | 'off';

const runOf = (home: Home, runId: string, cache: Cache, parameters = {}): Promise<ReadyRun> =>
  readyTaskRun({ task: 'probe', home, runId, config: { cache }, parameters });

async function evaluated(ready: ReadyRun, change: object = {}): Promise<EvaluationResult> {
  const input = EvaluateInput.parse({ ...ready.input, ...change });
  return EvaluationResult.parse(await new MockActivityEnvironment().run(makeEvaluate(ready), input));
}

/** The programs that were started for a run. */
async function started(home: Home, runId: string): Promise<number> {
  const { lines } = await readLedgers(home);
  return lines.filter((line) => line.event === 'started' && line.run === runId).length;
}

const valueOf = (result: EvaluationResult): number | null => (result.status === 'finished' ? result.value : null);

describe('cache: off', () => {
  test('runs equal evaluations of different nodes and stages each, and a second try of one never again', async () => {
    const home = { root: temporaryFolder() };
    const ready = await runOf(home, 'one', 'off');
    const results = [
      await evaluated(ready),
      await evaluated(ready, { node: 'n2' }),
      await evaluated(ready, { stage: 'baseline_tuning' }),
      await evaluated(ready, { dispatch: 2 }),
    ];
    expect(results.map(({ cached }) => cached)).toEqual([false, false, false, true]);
    expect(new Set(results.map(valueOf)).size).toBe(1);
    expect(await started(home, 'one')).toBe(3);
  });
});

describe('cache: run', () => {
  test('runs equal evaluations of a run once, and leaves nothing to another run', async () => {
    const home = { root: temporaryFolder() };
    const ready = await runOf(home, 'one', 'run');
    await evaluated(ready);
    expect(await evaluated(ready, { node: 'n2', stage: 'baseline_tuning' })).toMatchObject({ cached: true });
    expect(await evaluated(await runOf(home, 'two', 'run'))).toMatchObject({ cached: false });
    expect([await started(home, 'one'), await started(home, 'two')]).toEqual([1, 1]);
  });
});

describe('cache: project', () => {
  test('answers the next run on the search seed, and runs fresh seeds and figures', async () => {
    const home = { root: temporaryFolder() };
    const [one, two] = [await runOf(home, 'one', 'project'), await runOf(home, 'two', 'project')];
    const seed = replicationSeed(one.run.plan, 0);
    const first = await evaluated(one);
    const replica = await evaluated(one, { seed });
    await evaluated(one, { kind: 'plot' });
    expect(await evaluated(two)).toEqual({ ...first, cached: true });
    expect(await started(home, 'two')).toBe(0);
    const again = await evaluated(two, { seed });
    expect(again).toMatchObject({ cached: false, value: valueOf(replica) });
    expect(await evaluated(two, { kind: 'plot' })).toMatchObject({ cached: false, figures: 1 });
    expect(await started(home, 'two')).toBe(2);
  });

  test('runs again what failed', async () => {
    const home = { root: temporaryFolder() };
    for (const runId of ['one', 'two'])
      expect(await evaluated(await runOf(home, runId, 'project', { 'knob.fail': 'exception' }))).toMatchObject({
        status: 'failed',
        cached: false,
      });
  });

  test('runs an evaluation whose shared result is damaged, and shares its result anew', async () => {
    const home = { root: temporaryFolder() };
    const one = await runOf(home, 'one', 'project');
    const path = sharedResultPath(home, (await jobOf(one)).evaluation);
    const first = await evaluated(one);
    writeFileSync(path, '{');
    expect(await evaluated(await runOf(home, 'two', 'project'))).toMatchObject({ value: valueOf(first), cached: false });
    expect(await evaluated(await runOf(home, 'three', 'project'))).toMatchObject({ value: valueOf(first), cached: true });
  });

  test('of two runs at once both get the value, and the third runs nothing', async () => {
    const home = { root: temporaryFolder() };
    const [one, two] = [await runOf(home, 'one', 'project'), await runOf(home, 'two', 'project')];
    const values = (await Promise.all([evaluated(one), evaluated(two)])).map(valueOf);
    expect(values[0]).not.toBeNull();
    expect(values[1]).toBe(values[0]);
    expect(valueOf(await evaluated(await runOf(home, 'three', 'project')))).toBe(values[0]);
    expect(await started(home, 'three')).toBe(0);
  });
});
