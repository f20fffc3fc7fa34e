import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isShared, shareResult, takeShared } from '../../../src/adapters/evaluation-cache.ts';
import { homePaths, runPaths, sharedResultPath, type Home } from '../../../src/adapters/layout.ts';
import { recordOf } from '../../../src/adapters/run-attempt.ts';
import { storedResult } from '../../../src/adapters/finish-attempt.ts';
import type { AttemptRecord } from '../../../src/domain/attempt.ts';
import { EvaluationResult } from '../../../src/domain/evaluation.ts';
import { RunId } from '../../../src/domain/ids.ts';
import { searchSeed, replicationSeed } from '../../../src/domain/run-plan.ts';
import { jobOf, readyRun } from '../../support/evaluations.ts';

/** Results shared between the runs of a home. */

interface Lab {
  readonly home: Home;
  readonly record: AttemptRecord;
  /** The same evaluation in another run. */
  readonly elsewhere: AttemptRecord;
  readonly result: EvaluationResult;
  readonly path: string;
}

const finished = { status: 'finished', value: 0.1 + 0.2 };

async function lab(change: object = finished): Promise<Lab> {
  const job = await jobOf(await readyRun({ program: 'value.py' }));
  const record = { ...recordOf(job), shared: true };
  const result = EvaluationResult.parse({
    evaluation: record.evaluation,
    attempt: '1.2',
    device: 'cpu0',
    durationMs: 12.5,
    peakMemoryMiB: null,
    figures: 0,
    cached: false,
    ...change,
  });
  const { home } = job;
  const elsewhere = { ...record, runId: RunId.parse('another'), attempt: '1.1' };
  return { home, record, elsewhere, result, path: sharedResultPath(home, record.evaluation) };
}

const failure = { status: 'failed', message: 'no', exitCode: 1, signal: null } as const;

describe('which evaluations are shared', () => {
  test('values on the search seed, with cache: project only', async () => {
    const { run } = await readyRun({ program: 'value.py' });
    const seed = searchSeed(run.plan);
    const under = (cache: 'run' | 'project' | 'off') => ({ ...run, config: { ...run.config, cache } });
    expect((['run', 'project', 'off'] as const).map((cache) => isShared(under(cache), { kind: 'measure', seed }))).toEqual([
      false,
      true,
      false,
    ]);
    const project = under('project');
    expect(isShared(project, { kind: 'plot', seed })).toBe(false);
    for (const replica of [0, 1, 999])
      expect(isShared(project, { kind: 'measure', seed: replicationSeed(run.plan, replica) })).toBe(false);
  });
});

describe('a shared result', () => {
  test('is taken by another run, bit for bit, copied into it, and says where it is from', async () => {
    const { home, record, elsewhere, result } = await lab();
    await shareResult(home, record, result);
    expect(await takeShared(home, elsewhere)).toEqual({ ...result, cached: true });
    rmSync(homePaths(home).sharedResults, { recursive: true });
    rmSync(runPaths(home, record.runId).root, { recursive: true });
    expect(await storedResult(home, 'another', record.evaluation)).toEqual({ ...result, cached: true });
    expect(JSON.parse(readFileSync(runPaths(home, 'another').origin(record.evaluation), 'utf8'))).toEqual({
      run: record.runId,
      attempt: '1.2',
    });
  });

  test.each([
    ['an exception', { ...failure, reason: 'exception' }],
    ['a time-out', { ...failure, reason: 'timeout' }],
    ['a failure of the machine', { ...failure, reason: 'infrastructure' }],
    ['one with figures, which lie in its run', { ...finished, figures: 1 }],
  ])('is never %s', async (_, change) => {
    const { home, record, elsewhere, result } = await lab(change);
    await shareResult(home, record, result);
    expect(existsSync(homePaths(home).sharedResults)).toBe(false);
    expect(await takeShared(home, elsewhere)).toBeNull();
  });

  test('is neither given nor taken by an evaluation that is not to be shared', async () => {
    const { home, record, elsewhere, result, path } = await lab();
    await shareResult(home, { ...record, shared: false }, result);
    expect(existsSync(path)).toBe(false);
    await shareResult(home, record, result);
    expect(await takeShared(home, { ...elsewhere, shared: false })).toBeNull();
  });

  test.each([
    ['cut off', (text: string) => text.slice(0, -20)],
    ['of another form', () => '{"v": 2}'],
    ['of another evaluation', (text: string, id: string) => text.replaceAll(id, 'f'.repeat(32))],
  ])('that is %s is moved aside, and there is none', async (_, damage) => {
    const { home, record, elsewhere, result, path } = await lab();
    await shareResult(home, record, result);
    const damaged = damage(readFileSync(path, 'utf8'), record.evaluation);
    writeFileSync(path, damaged);
    expect(await takeShared(home, elsewhere)).toBeNull();
    expect([existsSync(path), readFileSync(`${path}.damaged`, 'utf8')]).toEqual([false, damaged]);
    await shareResult(home, record, result);
    expect(await takeShared(home, elsewhere)).toMatchObject({ cached: true });
  });

  test('written by many runs at once is whole at every moment, and nothing else is left', async () => {
    const { home, record, elsewhere, result, path } = await lab();
    const seen: unknown[] = [];
    await shareResult(home, record, result);
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await shareResult(home, { ...record, runId: RunId.parse(`run-${index}`) }, result);
        seen.push(await takeShared(home, { ...elsewhere, runId: RunId.parse(`taker-${index}`) }));
      }),
    );
    expect(seen).toEqual(seen.map(() => ({ ...result, cached: true })));
    expect(readdirSync(dirname(path))).toEqual([`${record.evaluation}.json`]);
  });

  test('that cannot be written costs the run that made it nothing', async () => {
    const { home, record, result } = await lab();
    mkdirSync(homePaths(home).state, { recursive: true });
    // A file stands where the folder would be.
    writeFileSync(homePaths(home).sharedResults, '');
    await expect(shareResult(home, record, result)).resolves.toBeUndefined();
    await expect(takeShared(home, record)).resolves.toBeNull();
  });
});
