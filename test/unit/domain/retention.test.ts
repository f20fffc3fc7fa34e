import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CLEAN_PARTS,
  planClean,
  whyKept,
  type CleanWish,
  type DiskState,
  type EvaluationOnDisk,
  type RunOnDisk,
} from '../../../src/domain/retention.ts';

const sized = (name: string) => ({ name, bytes: 10 });

function run(change: Partial<RunOnDisk> = {}): RunOnDisk {
  const runId = change.runId ?? 'one';
  return {
    runId,
    open: false,
    reported: true,
    unfinished: [],
    lastUsedAt: 0,
    bytes: 100,
    evaluations: [
      { id: 'done', resultOf: '1.2', attempts: ['1.1', '1.2', '1.2.old-1'].map(sized), checkpoint: 5 },
      { id: 'open', resultOf: null, attempts: ['1.1'].map(sized), checkpoint: 5 },
    ],
    reruns: [1, 2].map((number) => ({ ...sized(String(number)), id: `${runId}.rerun-${number}` })),
    usesCache: false,
    ...change,
  };
}

const state = (runs: RunOnDisk[], change: Partial<DiskState> = {}): DiskState => ({
  runs,
  cache: [sized('x.json')],
  now: 1000,
  ...change,
});
const wish = (change: Partial<CleanWish> = {}): CleanWish => ({ parts: CLEAN_PARTS, runs: [], olderThanMs: 0, ...change });

describe('planClean', () => {
  test('takes the attempts of finished evaluations that did not give the result', () => {
    const { removals } = planClean(state([run()]), wish({ parts: ['attempts'] }));
    expect(removals).toEqual([
      { part: 'attempts', run: 'one', evaluation: 'done', attempt: '1.1', bytes: 10 },
      { part: 'attempts', run: 'one', evaluation: 'done', attempt: '1.2.old-1', bytes: 10 },
    ]);
  });

  test('takes the checkpoints of finished evaluations only', () => {
    const { removals } = planClean(state([run()]), wish({ parts: ['checkpoints'] }));
    expect(removals).toEqual([{ part: 'checkpoints', run: 'one', evaluation: 'done', bytes: 5 }]);
  });

  test('does not list again what goes with its whole run', () => {
    expect(planClean(state([run()], { cache: [] }), wish()).removals).toEqual([{ part: 'runs', run: 'one', bytes: 100 }]);
  });

  test('takes whole runs only when they are old enough', () => {
    const runs = [run({ runId: 'old', lastUsedAt: 400 }), run({ runId: 'new', lastUsedAt: 600 })];
    const { removals } = planClean(state(runs), wish({ parts: ['runs'], olderThanMs: 500 }));
    expect(removals.map((removal) => 'run' in removal && removal.run)).toEqual(['old']);
  });

  test('touches no other run than those that are named', () => {
    const { removals, kept } = planClean(
      state([run({ runId: 'a' }), run({ runId: 'b', open: true })]),
      wish({ runs: ['a'], parts: ['runs'] }),
    );
    expect(removals).toMatchObject([{ run: 'a' }]);
    expect(kept).toEqual([]);
  });

  test('leaves a rerun that runs, and the whole run with it, but takes the others', () => {
    const busy = run({ unfinished: ['one.rerun-2'] });
    expect(planClean(state([busy]), wish({ parts: ['runs'] })).removals).toEqual([]);
    expect(planClean(state([busy]), wish({ parts: ['reruns'] })).removals).toMatchObject([{ rerun: '1' }]);
  });

  test('leaves shared results while a run that shares them may go on', () => {
    const cache = wish({ parts: ['cache'] });
    expect(planClean(state([run()]), cache).removals).toEqual([{ part: 'cache', file: 'x.json', bytes: 10 }]);
    expect(planClean(state([run({ open: true, usesCache: true })]), cache).removals).toEqual([]);
    expect(planClean(state([run({ open: true, usesCache: false })]), cache).removals).toHaveLength(1);
  });
});

describe('whyKept', () => {
  test.each([
    ['is open', { open: true }],
    ['is open although a report of before a reset lies there', { open: true, reported: true }],
    ['has an evaluation that is not dead', { unfinished: ['one'] }],
    ['cannot be asked about and has no report', { open: null, reported: false }],
  ])('a run that %s is kept', (_, change) => {
    expect(whyKept(run(change))).toMatch(/\S/);
  });

  test.each([
    ['has ended on the server', { open: false, reported: false }],
    ['cannot be asked about and has a report', { open: null }],
  ])('a run that %s is not', (_, change) => {
    expect(whyKept(run(change))).toBeNull();
  });
});

const name = fc.constantFrom('1.1', '1.2', '2.1');
const evaluations: fc.Arbitrary<EvaluationOnDisk[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('e1', 'e2', 'e3'),
    resultOf: fc.option(name),
    attempts: fc.uniqueArray(name).map((names) => names.map(sized)),
    checkpoint: fc.option(fc.nat(9)),
  }),
  { selector: ({ id }) => id },
);
const runs: fc.Arbitrary<RunOnDisk[]> = fc.uniqueArray(
  fc
    .record({
      runId: fc.constantFrom('a', 'b', 'c'),
      open: fc.option(fc.boolean()),
      reported: fc.boolean(),
      isUnfinished: fc.boolean(),
      lastUsedAt: fc.nat(1000),
      evaluations,
      usesCache: fc.boolean(),
    })
    .map(({ isUnfinished, ...given }) => run({ ...given, unfinished: isUnfinished ? [given.runId] : [] })),
  { selector: ({ runId }) => runId },
);
const wishes = fc.record({ parts: fc.subarray([...CLEAN_PARTS]), runs: fc.subarray(['a', 'b', 'c']), olderThanMs: fc.nat(1000) });

test('whatever is wanted, nothing that a live run or a result needs goes', () => {
  fc.assert(
    fc.property(runs, wishes, (all, wanted) => {
      const { removals } = planClean(state(all), wanted);
      for (const removal of removals) {
        expect(wanted.parts).toContain(removal.part);
        if (removal.part === 'cache') continue;
        const of = all.find(({ runId }) => runId === removal.run);
        if (of === undefined) throw new Error(`${removal.run} is no run`);
        expect(of.open === true || of.unfinished.length > 0 || (of.open === null && !of.reported)).toBe(false);
        if (wanted.runs.length > 0) expect(wanted.runs).toContain(removal.run);
        if (removal.part !== 'attempts' && removal.part !== 'checkpoints') continue;
        const evaluation = of.evaluations.find(({ id }) => id === removal.evaluation);
        expect(evaluation?.resultOf).not.toBeNull();
        if (removal.part === 'attempts') expect(removal.attempt).not.toBe(evaluation?.resultOf);
      }
    }),
  );
});
