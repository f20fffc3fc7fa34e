import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { nodeId } from '../../src/domain/ids.ts';
import { BuggyNode, GoodNode } from '../../src/domain/node.ts';
import { bestFirst } from '../../src/search/best-first.ts';
import { completion } from '../../src/search/completion.ts';
import type { PolicyInput } from '../../src/search/policy.ts';
import { initialStageState, withDispatched, withOutcome, type StageState } from '../../src/search/stage-state.ts';
import { stageDefinition, testPlan } from '../support/plan.ts';
import { droppedOutcome, nodeOutcome, sketchedNode } from '../support/tree.ts';

/**
 * What a stage does for each node must not cost more in a long run than in a short one. CPU times are compared
 * within one process; the factor is above noise and well below the tenfold that any costly pass over the journal would give.
 */

const MOST_TIMES = 5;
const SHORT = 1000;
const LONG = 10_000;
const PROBE = 300;

const plan = { ...testPlan(), search: { ...testPlan().search, debugProb: 0.5 } };
const good = GoodNode.parse(sketchedNode({ id: 1, metric: 0 }));
const buggy = BuggyNode.parse(sketchedNode({ id: 1 }));

class Search {
  private state: StageState;
  private readonly inFlight: Item[] = [];
  private readonly stage;

  constructor(operator: 'creative_research' | 'baseline_tuning') {
    this.stage = stageDefinition(operator, { maxNodes: 1_000_000, rules: [{ rule: 'patience', nodes: 1_000_000 }] });
    const start = initialStageState({ direction: 'maximize', nextNode: 2, nextSeq: 0, workers: 4, strategy: null });
    this.state = withOutcome({ ...start, activeKeys: ['x', 'y', 'z'] }, null, { kind: 'base', node: good, evaluations: [] });
  }

  /** Makes nodes up to this number: three in flight, a fifth of them buggy, a tenth dropped. */
  growTo(count: number): void {
    while (this.state.nextNode < count) {
      if (completion(this.input()) !== null) throw new Error('done');
      const [item] = bestFirst.backlog(this.input(), 1);
      if (item === undefined) throw new Error('nothing to do');
      const number = this.state.nextNode;
      this.state = withDispatched(this.state, 0, item);
      this.inFlight.push(item);
      if (this.inFlight.length < 3) continue;
      const done = this.inFlight.shift() ?? item;
      this.state = withOutcome(this.state, done, this.outcome(done, number));
    }
  }

  private outcome(done: Item, number: number): Parameters<typeof withOutcome>[2] {
    if (done.kind !== 'node') throw new Error('no node');
    if (number % 10 === 3 && done.operator === 'improve')
      return droppedOutcome(done, number % 20 === 3 ? 'exhausted' : 'duplicate');
    const core = { id: nodeId(number - 2), operator: done.operator, parent: done.parent, item: done.id, label: done.operator };
    const metric = ((number * 7919) % 10_007) / 10_007;
    return nodeOutcome(number % 5 === 0 ? { ...buggy, ...core } : { ...good, ...core, metric });
  }

  private input(): PolicyInput {
    const { journal, tried, exhausted, dispatched, activeKeys, wishes } = this.state;
    return { plan, stage: this.stage, journal, inFlight: this.inFlight, tried, exhausted, dispatched, activeKeys, wishes };
  }
}

/** The cheapest of several probes of so many nodes, in microseconds of CPU, after the search has grown to `count`. */
function costAt(search: Search, count: number): number {
  const times = Array.from({ length: 4 }, (_, probe) => {
    search.growTo(count + probe * PROBE);
    const start = process.cpuUsage();
    search.growTo(count + (probe + 1) * PROBE);
    return process.cpuUsage(start).user;
  });
  return Math.min(...times);
}

describe('what a stage does for a node', () => {
  test.each(['creative_research', 'baseline_tuning'] as const)(
    'costs the same after 10,000 nodes as after 1,000 in %s',
    (stage) => {
      const search = new Search(stage);
      const short = costAt(search, SHORT);
      const long = costAt(search, LONG);
      expect(long).toBeLessThan(MOST_TIMES * short);
    },
  );
});
