import { describe, expect, test } from 'vitest';
import { randomStream, type Random } from '../../../src/domain/random.ts';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import type { StrategyOutcome } from '../../../src/strategies/strategy.ts';
import { NO_FACTS, outcomeOf, planInputOf } from '../../support/strategy-input.ts';

/** What becomes of work in five families: two in which nothing helps, one that is soon found out, and two that give gains. */
const FAMILIES = ['hopeless 1', 'hopeless 2', 'solved', 'live 1', 'live 2'];
const WORKERS = [0, 1, 2, 3];
const ROUNDS = 30;

interface Busy {
  readonly worker: number;
  readonly key: string;
}

/** A stage of 120 items, without a search: 16 fresh items at a time, dealt evenly over the families. */
class Stage {
  readonly leases = new Map<string, number>();
  private readonly strategy = bindStrategy('cluster_parallel', {});
  private state = this.strategy.initial();
  private readonly luck: Random;
  private readonly names: readonly string[];
  private readonly facts: Record<string, StrategyOutcome['facts']> = {};
  private made = 0;

  constructor(seed: number) {
    this.luck = randomStream(seed, 'five families');
    this.names = this.luck.shuffle(FAMILIES);
  }

  atBarrier(): this {
    for (let round = 0; round < ROUNDS; round++) for (const busy of this.plan(WORKERS, [])) this.finish(busy);
    return this;
  }

  asynchronously(): this {
    let busy = this.plan(WORKERS, []);
    for (let left = (ROUNDS - 1) * WORKERS.length; left > 0; left--) {
      const done = this.luck.pick(busy);
      if (done === undefined) throw new Error('nobody works');
      this.finish(done);
      busy = busy.filter((other) => other !== done);
      const inFlight = busy.map(({ key }) => key);
      busy = [...busy, ...this.plan([done.worker], inFlight)];
    }
    return this;
  }

  private plan(free: number[], inFlight: string[]): Busy[] {
    const keys = Array.from({ length: 16 }, (_, index) => `improve:n${index}#${this.made++}`);
    keys.forEach((key, index) => {
      this.facts[key] = { ...NO_FACTS, family: this.names[index % this.names.length] ?? '' };
    });
    const planned = this.strategy.plan(this.state, planInputOf({ nWorkers: 4, free, keys, inFlight, facts: this.facts }));
    this.state = planned.state;
    return planned.units.map(({ worker, keys: [key = ''] }) => ({ worker, key }));
  }

  private finish({ worker, key }: Busy): void {
    const facts = this.facts[key] ?? NO_FACTS;
    const family = facts.family ?? '';
    const gain = this.gain(family);
    this.leases.set(family, (this.leases.get(family) ?? 0) + 1);
    const unit = { worker, keys: [key], stage: 0, section: null };
    this.state = this.strategy.observe(
      this.state,
      unit,
      key,
      outcomeOf({ status: gain === null ? 'buggy' : 'good', gain, facts }),
    );
  }

  private gain(family: string): number | null {
    const size = 0.1 * this.luck.next();
    const isGain = this.luck.below(2) === 0;
    if (family.startsWith('hopeless')) return isGain ? null : -size;
    if (family.startsWith('live')) return isGain ? size : -size;
    return (this.leases.get(family) ?? 0) < 4 ? size : -size;
  }
}

const seeds = Array.from({ length: 20 }, (_, seed) => [seed] as const);

describe.each(seeds)('with the luck of seed %d', (seed) => {
  test.each(['atBarrier', 'asynchronously'] as const)(
    'families that give gains get more work than all others, %s',
    (schedule) => {
      const { leases } = new Stage(seed)[schedule]();
      const [live, others] = ['live', ''].map((start) =>
        FAMILIES.filter((name) => name.startsWith('live') === (start === 'live')).map((name) => leases.get(name) ?? 0),
      );
      expect([...leases.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(116);
      expect(Math.min(...(live ?? []))).toBeGreaterThan(Math.max(...(others ?? [])));
    },
  );
});
