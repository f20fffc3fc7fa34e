import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STRATEGIES } from '../../../src/strategies/registry.ts';
import type { PlanInput } from '../../../src/strategies/strategy.ts';
import { backlogInput, improve, itemOf, KEYS, sectionStrategy, shown, tune, type KnownItem } from '../../support/section-work.ts';

/** Worker, section and items of each unit of the first plan. */
function planned(options: object, items: readonly KnownItem[], change: Partial<PlanInput> = {}): unknown[][] {
  const strategy = sectionStrategy(options);
  return shown(strategy.plan(strategy.initial(), backlogInput(items, change)).units);
}

describe('sections', () => {
  test('are dealt to the workers with the keys that they may change', () => {
    const strategy = sectionStrategy();
    const { units } = strategy.plan(strategy.initial(), backlogInput([improve(0), improve(1), improve(2)]));
    expect(units.map(({ section, mayChange }) => [section, mayChange])).toEqual([
      [0, ['a', 'd']],
      [1, ['b', 'e']],
      [2, ['c', 'f']],
    ]);
  });

  test('are of one worker each when there are as many, and no more than keys', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.constantFrom('balanced', 'hash'), (nWorkers, partition) => {
        const strategy = sectionStrategy({ partition: partition });
        const items = Array.from({ length: nWorkers }, (_, at) => improve(at));
        const { units } = strategy.plan(strategy.initial(), backlogInput(items, { nWorkers }));
        const owned = new Map(units.map(({ section, mayChange }) => [section, mayChange ?? []]));
        if (partition === 'balanced') expect([...owned.values()].flat().toSorted()).toEqual(KEYS);
        expect(owned.size).toBeLessThanOrEqual(Math.min(nWorkers, KEYS.length));
        expect(units.every(({ mayChange }) => mayChange?.length !== 0)).toBe(true);
      }),
    );
  });

  test('move on with the rounds when they rotate, so that two workers visit all', () => {
    const of = (round: number) =>
      planned({ sections: 3, rotate: true }, [improve(0), improve(1)], { nWorkers: 2, roundOf: [round, round] }).map(
        ([, section]) => section,
      );
    expect([0, 1, 2].map(of)).toEqual([
      [0, 1],
      [2, 0],
      [1, 2],
    ]);
  });

  test('stay with the worker without rotation', () => {
    expect(planned({}, [improve(0), improve(1), improve(2)], { roundOf: [4, 5, 6] }).map(([, section]) => section)).toEqual([
      0, 1, 2,
    ]);
  });

  test('are fewer where fewer keys can be changed', () => {
    expect(
      planned({ sections: 3 }, [improve(0), improve(1), improve(2)], { components: ['b', 'a'] }).map(([, at]) => at),
    ).toEqual([0, 1, 0]);
    expect(planned({}, [improve(0)], { components: [] })).toEqual([
      [0, null, 'improve:n1#0'],
      [1, null],
      [2, null],
    ]);
  });
});

describe('items', () => {
  test('find the section that owns their target when they are routed', () => {
    const items = ['c', 'f', 'd', 'b', 'e'].map((key) => tune(key));
    expect(planned({ route: 'target' }, items)).toEqual([
      [0, 0, 'tune:n1:d#0'],
      [1, 1, 'tune:n1:b#0', 'tune:n1:e#0'],
      [2, 2, 'tune:n1:c#0', 'tune:n1:f#0'],
    ]);
  });

  test('of one section are distinct when two workers share it', () => {
    const items = ['a', 'c', 'e', 'b'].map((key) => tune(key));
    expect(planned({ route: 'target', sections: 2 }, items)).toEqual([
      [0, 0, 'tune:n1:a#0', 'tune:n1:e#0'],
      [1, 1, 'tune:n1:b#0'],
      [2, 0, 'tune:n1:c#0'],
    ]);
  });

  test('that no section owns go to a worker whose section has none, or to nobody', () => {
    const items = [tune('a'), improve(0), tune('z')];
    expect(planned({ route: 'target' }, items)).toEqual([
      [0, 0, 'tune:n1:a#0'],
      [1, 1, 'improve:n1#0'],
      [2, null, 'tune:n1:z#0'],
    ]);
    expect(planned({ route: 'target', unrouted: 'drop' }, items)).toEqual([
      [0, 0, 'tune:n1:a#0'],
      [1, 1],
      [2, 2],
    ]);
    expect(planned({ route: 'target', unrouted: 'drop' }, [improve(0), tune('z')]).flatMap(([, , ...keys]) => keys)).toEqual([]);
  });

  test('are dealt in rotating shards when they are not routed', () => {
    const items = Array.from({ length: 5 }, (_, at) => improve(at));
    expect(planned({}, items, { roundOf: [1, 1, 1] })).toEqual([
      [0, 0, 'improve:n1#1', 'improve:n1#4'],
      [1, 1, 'improve:n1#2'],
      [2, 2, 'improve:n1#0', 'improve:n1#3'],
    ]);
  });

  test('are dealt in another shard when rounds differ and the wanted one is taken', () => {
    const items = Array.from({ length: 6 }, (_, at) => improve(at));
    expect(planned({}, items, { roundOf: [1, 0, 0] })).toEqual([
      [0, 0, 'improve:n1#1', 'improve:n1#4'],
      [1, 1, 'improve:n1#2', 'improve:n1#5'],
      [2, 2, 'improve:n1#0', 'improve:n1#3'],
    ]);
  });

  test('start from one node: those of others wait', () => {
    expect(planned({}, [improve(0, 'n4'), improve(0, 'n1'), improve(1, 'n4')])).toEqual([
      [0, 0, 'improve:n4#0'],
      [1, 1, 'improve:n4#1'],
      [2, 2],
    ]);
  });

  test('that repair, unite or begin have no section, and merges go out first', () => {
    const items = [improve(0), itemOf('debug', 'n2'), improve(1), improve(2), itemOf('merge', 'n1', 'n3+n4')];
    const units = planned({}, items);
    expect(units.filter(([, section]) => section === null).flatMap(([, , ...keys]) => keys)).toEqual([
      'merge:n1:n3+n4#0',
      'debug:n2#0',
    ]);
    expect(units.filter(([, section]) => section !== null)).toHaveLength(1);
  });

  test('that repair keep their place in the backlog while sections have work', () => {
    const items = [improve(0), improve(1), improve(2), itemOf('debug', 'n2'), itemOf('debug', 'n3')];
    expect(planned({}, items).map(([, section]) => section)).toEqual([0, 1, 2]);
    expect(
      planned({}, items.slice(2))
        .map(([, , key]) => key)
        .toSorted(),
    ).toEqual(['debug:n2#0', 'debug:n3#0', 'improve:n1#2']);
  });

  test('without a section take the place of another worker in each round', () => {
    const items = [itemOf('debug', 'n2'), improve(0), improve(1), improve(2)];
    const takerIn = (round: number) =>
      planned({}, items, { roundOf: [round, round, round] }).find(([, section]) => section === null)?.[0];
    expect([0, 1, 2, 3].map(takerIn)).toEqual([0, 1, 2, 0]);
  });

  test('go out without a section when nobody works and no section has one', () => {
    const items = [tune('c'), tune('f')];
    expect(planned({ route: 'target', sections: 3 }, items, { nWorkers: 2 })).toEqual([
      [0, null, 'tune:n1:c#0'],
      [1, null, 'tune:n1:f#0'],
    ]);
    expect(planned({ route: 'target', sections: 3 }, items, { nWorkers: 2, free: [0], inFlight: ['x'] })).toEqual([[0, 0]]);
  });
});

describe('a setting that it does not fit', () => {
  const entry = STRATEGIES.find(({ name }) => name === 'tensor_parallel');
  const misfit = (options: object, components: readonly string[], workers: number) =>
    entry?.misfit(entry.options.parse(options), { components, workers });

  test.each([
    { options: {}, components: [], what: 'the task has no component that may change', fix: 'mark what may change as components' },
    { options: {}, components: ['a'], what: 'there is only the key a, nothing to divide', fix: 'two or more' },
    { options: { sections: 9 }, what: '9 sections for 6 keys: 3 would own nothing', fix: 'set sections to 6 or less' },
    { options: { sections: 4 }, what: '3 workers for 4 sections: 1 would never be worked on', fix: 'set rotate to true' },
    { options: { keys: ['a', 'q'] }, what: 'q is no component that may change', fix: 'a, b, c, d, e, f' },
    { options: { partition: 'hash', sections: 6 }, what: 'the hash leaves 3 of 6 sections without a key', fix: 'balanced' },
  ])('$options over $components: $what', ({ options, components = KEYS, what, fix }) => {
    expect(misfit(options, components, 3)).toEqual({ what, fix: expect.stringContaining(fix) });
  });

  test('is none with the defaults, however many workers, nor with few workers that rotate', () => {
    expect([1, 2, 6, 20].map((workers) => misfit({}, KEYS, workers))).toEqual([null, null, null, null]);
    expect(misfit({ sections: 4, rotate: true }, KEYS, 2)).toBeNull();
    expect(misfit({ keys: ['a', 'b'] }, KEYS, 2)).toBeNull();
  });

  test('is work that starts from nothing, ablation and the like', () => {
    const isFor = (['draft', 'debug', 'improve', 'tune', 'ablate', 'merge'] as const).map((operator) => entry?.isFor(operator));
    expect(isFor).toEqual([false, false, true, true, false, false]);
  });
});
