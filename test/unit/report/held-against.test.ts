import { describe, expect, it } from 'vitest';
import { nodeId } from '../../../src/domain/ids.ts';
import type { Node } from '../../../src/domain/node.ts';
import { estimateOf, holdAgainst, measured, type Measured } from '../../../src/report/held-against.ts';
import { readJournal } from '../../../src/report/read-journal.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

/** Two nodes of a stage on one dataset, n1 the candidate and n2 the reference. */
function pair(candidate: Sketch, reference: Sketch): [Measured, Measured] {
  const run = exampleRun();
  const journal = sketchJournal(run);
  journal.begin('initial_implementation');
  for (const [id, { metric, replicas = [] }] of [
    [1, candidate],
    [2, reference],
  ] as const) {
    journal.node({ id, ...(metric === undefined ? {} : { scores: [metric] }) });
    journal.replicas(id, replicas);
  }
  const records = readJournal(run, journal.events, new Map());
  const at = (id: number): Measured => {
    const node: Node | undefined = records.nodes.get(nodeId(id));
    if (node === undefined) throw new TypeError(`no node ${id}`);
    return measured(records, node, ['digits']);
  };
  return [at(1), at(2)];
}

interface Sketch {
  readonly metric?: number;
  readonly replicas?: readonly (number | null)[];
}

describe('an estimate', () => {
  it('counts the fresh seeds only, never the search seed', () => {
    const [one] = pair({ metric: 0.99, replicas: [0.9, 0.92, 0.94] }, {});
    expect(estimateOf(one.replicas)).toEqual({
      n: 3,
      failed: 0,
      values: [
        { seed: 1_000_007, value: 0.9 },
        { seed: 1_000_008, value: 0.92 },
        { seed: 1_000_009, value: 0.94 },
      ],
      mean: expect.closeTo(0.92, 12),
      deviation: expect.closeTo(0.02, 12),
      low: expect.closeTo(0.92 - (4.302653 * 0.02) / Math.sqrt(3), 6),
      high: expect.closeTo(0.92 + (4.302653 * 0.02) / Math.sqrt(3), 6),
    });
  });

  it('leaves out replicas that failed, and says how many', () => {
    const [one] = pair({ metric: 0.9, replicas: [0.9, null, 0.94] }, {});
    expect(estimateOf(one.replicas)).toMatchObject({ n: 2, failed: 1, mean: expect.closeTo(0.92, 12) });
  });

  it('has no interval for one replica and no mean for none', () => {
    const [one, none] = pair({ metric: 0.9, replicas: [0.8] }, { metric: 0.9 });
    expect(estimateOf(one.replicas)).toMatchObject({ n: 1, mean: 0.8, low: null, high: null });
    expect(estimateOf(none.replicas)).toMatchObject({ n: 0, mean: null, values: [] });
  });
});

describe('the verdict', () => {
  const steady = [0.9, 0.901, 0.902];

  it.each([
    [
      'better',
      'maximize',
      [0.95, 0.952, 0.951],
      steady,
      /^better by 0\.0500 \(95 % interval 0\.0\d+ to 0\.0\d+, 3 pairs of seeds\)$/,
    ],
    [
      'worse',
      'maximize',
      steady,
      [0.95, 0.952, 0.951],
      /^worse by 0\.0500 \(95 % interval 0\.0\d+ to 0\.0\d+, 3 pairs of seeds\)$/,
    ],
    ['worse', 'minimize', [0.95, 0.952, 0.951], steady, /^worse by 0\.0500/],
    ['noise', 'maximize', [0.9, 0.95, 0.91], [0.91, 0.92, 0.93], /^within the noise: (better|the same|worse)/],
    ['better', 'maximize', [0.95, 0.95], [0.9, 0.9], /2 pairs of seeds; the seed made no difference\)$/],
  ] as const)('%s (%s) is said in plain words', (verdict, direction, candidate, reference, text) => {
    const [one, two] = pair({ metric: 0.9, replicas: candidate }, { metric: 0.9, replicas: reference });
    const held = holdAgainst(direction, one, two);
    expect(held).toMatchObject({ verdict, node: 'n2', spread: null });
    expect(held.text).toMatch(text);
  });

  it('gives the interval of a loss as the size of the loss, lower end first', () => {
    const [one, two] = pair({ metric: 0.9, replicas: steady }, { metric: 0.9, replicas: [0.95, 0.952, 0.951] });
    const { text, low, high } = holdAgainst('maximize', one, two);
    expect(high).toBeLessThan(0);
    expect(text).toContain(`${(-(high ?? 0)).toFixed(4)} to ${(-(low ?? 0)).toFixed(4)}`);
  });

  it('is not replicated without a second fresh seed on both sides, whatever the search seed says', () => {
    for (const [candidate, reference, missing] of [
      [[], [], 'n1, n2'],
      [[0.9], [0.5], 'n1, n2'],
      [[0.9, 0.9, 0.91], [0.5], 'n2'],
      [[0.9], [0.5, 0.5, 0.51], 'n1'],
    ] as const) {
      const [one, two] = pair({ metric: 0.9, replicas: candidate }, { metric: 0.5, replicas: reference });
      const held = holdAgainst('maximize', one, two);
      expect(held.verdict).toBe('unknown');
      expect(held.text).toContain(`not replicated (${missing}): better by 0.4000 on the search seed alone`);
    }
  });

  it('says whether the seeds of the replicated one explain the difference', () => {
    const far = holdAgainst('maximize', ...pair({ metric: 0.95, replicas: [0.95, 0.951, 0.949] }, { metric: 0.9 }));
    expect(far).toMatchObject({ verdict: 'unknown', spread: 'outside' });
    expect(far.text).toMatch(/; more than the seeds of n1 \(n = 3\) vary$/);
    const near = holdAgainst('maximize', ...pair({ metric: 0.9 }, { metric: 0.95, replicas: [0.95, 0.85, 0.9] }));
    expect(near).toMatchObject({ verdict: 'unknown', spread: 'inside' });
    expect(near.text).toMatch(/; within what the seeds of n2 \(n = 3\) vary$/);
  });

  it('has nothing to compare when one of the two failed', () => {
    const held = holdAgainst('maximize', ...pair({ metric: 0.9 }, {}));
    expect(held).toMatchObject({ verdict: 'unknown', searchSeedGain: null });
    expect(held.text).toContain('no value to compare');
  });
});
