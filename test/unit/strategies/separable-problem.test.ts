import { describe, expect, test } from 'vitest';
import type { WorkUnit } from '../../../src/strategies/strategy.ts';
import { backlogInput, improve, itemOf, sectionStrategy, tune } from '../../support/section-work.ts';
import { NO_FACTS, outcomeOf } from '../../support/strategy-input.ts';
import { planTwiceProblems } from '../../support/strategy-rules.ts';

/** A separable problem: eight keys with four values each, whose worths add up; a search by sections solves it. */
describe('a problem whose keys add up', () => {
  const space = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`k${at}`, [0, at % 3, 5 - (at % 4), 1]]));
  type Point = Readonly<Record<string, number>>;
  const keys = Object.keys(space);
  const worth = (point: Point) => keys.reduce((sum, key) => sum + (space[key]?.[point[key] ?? 0] ?? 0), 0);
  const optimum = keys.reduce((sum, key) => sum + Math.max(...(space[key] ?? [])), 0);

  /** A point with what all the others change of it; that none changes what another does is a promise of sections. */
  function united(from: Point, others: readonly Point[]): Point {
    const changes = others.map((point) => Object.entries(point).filter(([key, value]) => value !== from[key]));
    const changed = changes.flat().map(([key]) => key);
    expect(changed).toEqual([...new Set(changed)]);
    return { ...from, ...Object.fromEntries(changes.flat()) };
  }

  /** Rounds at a barrier, merges first, then the best node's keys in turn. Gives the nodes by name and the merges made. */
  function search(options: object, { rounds, operator }: { rounds: number; operator: 'tune' | 'improve' }) {
    const strategy = sectionStrategy(options);
    const points = new Map<string, Point>([['n0', Object.fromEntries(keys.map((key) => [key, 0]))]]);
    const merges: { node: string; nodes: readonly string[] }[] = [];
    const metric = (node: string) => worth(points.get(node) ?? {});
    const at = (node: string) => points.get(node) ?? {};
    /** The first new value of a key that may change. */
    const fresh = (from: Point, mayChange: WorkUnit['mayChange'], target: string | null) =>
      (mayChange ?? keys)
        .filter((key) => target === null || target === key)
        .flatMap((key) => [1, 2, 3].map((value): Point => ({ ...from, [key]: value })))
        .find((point) => ![...points.values()].some((known) => JSON.stringify(known) === JSON.stringify(point)));
    let state = strategy.initial();
    for (let round = 0; round < rounds; round++) {
      const best = [...points.keys()].reduce((a, b) => (metric(b) > metric(a) ? b : a));
      const wanted = strategy.merges(state).map(({ base, nodes }) => itemOf('merge', base, nodes.join('+')));
      const work = keys.map((key, index) => (operator === 'tune' ? tune(key, best) : improve(index, best)));
      const input = backlogInput([...wanted, ...work], { nWorkers: 4, roundOf: [round, round, round, round], components: keys });
      expect(planTwiceProblems(strategy, state, input)).toEqual([]);
      const planned = strategy.plan(state, input);
      state = planned.state;
      for (const unit of planned.units.filter((candidate) => candidate.keys.length > 0)) {
        const facts = input.facts[unit.keys[0] ?? ''] ?? NO_FACTS;
        const parent = facts.parent ?? '';
        const nodes = facts.operator === 'merge' ? (facts.target ?? '').split('+') : [];
        const point = nodes.length > 0 ? united(at(parent), nodes.map(at)) : fresh(at(parent), unit.mayChange, facts.target);
        const node = `n${points.size}`;
        if (point !== undefined) points.set(node, point);
        if (nodes.length > 0) merges.push({ node, nodes });
        const made = { node, gain: metric(node) - metric(parent), facts };
        const outcome = outcomeOf(point === undefined ? { status: 'dropped', node: null, isExhausted: true, facts } : made);
        state = strategy.observe(state, unit, unit.keys[0] ?? '', outcome);
      }
    }
    return { metric, merges, best: Math.max(...[...points.keys()].map(metric)) };
  }

  test.each([
    ['tune', { route: 'target' }],
    ['improve', {}],
  ] as const)('is solved by %s, and each united node beats all that it unites', (operator, options) => {
    const { metric, merges, best } = search(options, { rounds: 30, operator });
    expect(best).toBe(optimum);
    expect(merges.length).toBeGreaterThan(0);
    for (const { node, nodes } of merges) expect(metric(node)).toBeGreaterThan(Math.max(...nodes.map(metric)));
  });

  test('takes fewer rounds with unions than without', () => {
    const roundsTo = (options: object) =>
      Array.from({ length: 40 }, (_, rounds) => rounds).find(
        (rounds) => search(options, { rounds, operator: 'tune' }).best === optimum,
      );
    const [united, apart] = [roundsTo({ route: 'target' }), roundsTo({ route: 'target', min_gain: 1000 })];
    expect(united).toBeLessThan(apart ?? Number.POSITIVE_INFINITY);
  });
});
