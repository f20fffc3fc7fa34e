import { z } from 'zod';
import { nodeId, type NodeId } from '../../src/domain/ids.ts';
import type { Item } from '../../src/domain/item.ts';
import { findNode, type JournalEvent, type StageJournal } from '../../src/domain/journal.ts';
import type { Node } from '../../src/domain/node.ts';
import { randomStream, type Random } from '../../src/domain/random.ts';
import type { RunPlan } from '../../src/domain/run-plan.ts';
import type { StageDefinition } from '../../src/domain/stage.ts';
import { closingItems } from '../../src/search/closing.ts';
import { completion, emptyBacklog, type Completion } from '../../src/search/completion.ts';
import { changeable, factsOf } from '../../src/search/item-facts.ts';
import { nodeCore, type ItemOutcome } from '../../src/search/outcome.ts';
import type { PolicyInput } from '../../src/search/policy.ts';
import { policyNamed } from '../../src/search/registry.ts';
import { initialStageState, outcomeEvent, withDispatched, withOutcome, type StageState } from '../../src/search/stage-state.ts';
import { bindStrategy } from '../../src/strategies/registry.ts';
import { backlogProblems } from './search-rules.ts';
import { droppedOutcome, refOf } from './tree.ts';

/**
 * A stage without workers, devices or Temporal: the same calls in the same order as the workflow makes them,
 * with outcomes drawn at random. It ends in a bounded number of steps or throws.
 */

/** How often what becomes of an item, as weights; nothing else matters but their ratio. */
export interface Fates {
  readonly good: number;
  readonly buggy: number;
  readonly dropped: number;
  readonly exhausted: number;
}

/** What is simulated. */
export interface World {
  readonly plan: RunPlan;
  readonly stage: StageDefinition;
  readonly base: Node | null;
  readonly fates: Fates;
  /** Draws the outcomes, not the search's own choices. */
  readonly luck: number;
  readonly onState?: (state: StageState) => void;
  /** What becomes of the state whenever nothing is in flight, as continue-as-new does it. */
  readonly carry?: (state: StageState) => StageState;
}

/** How a simulated stage went. */
export interface Simulated {
  readonly end: Completion;
  readonly state: StageState;
  readonly given: readonly Item[];
  readonly events: readonly JournalEvent[];
  /** Broken rules of the policy's contract, and of the counts. */
  readonly problems: readonly string[];
  readonly steps: number;
}

interface Busy {
  readonly worker: number;
  readonly item: Item;
  readonly node: NodeId;
  /** The journal when it was given out, as the work on it sees it. */
  readonly journal: StageJournal;
}

const MAX_STEPS = 2000;

/** Runs a stage to its end, its replicas and figures included. */
export function simulateStage(world: World): Simulated {
  const stage = new Stage(world);
  stage.open();
  const end = stage.untilDone(true);
  stage.untilDone(false);
  return { ...stage.result(), end };
}

class Stage {
  private state: StageState;
  private readonly busy: Busy[] = [];
  private readonly given: Item[] = [];
  private readonly events: JournalEvent[] = [];
  private readonly problems: string[] = [];
  private readonly luck: Random;
  private readonly world: World;
  private readonly strategy;
  private steps = 0;

  constructor(world: World) {
    const { plan, luck } = world;
    this.world = world;
    this.luck = randomStream(luck, 'luck');
    this.strategy = bindStrategy(plan.strategy.name, plan.strategy.options);
    this.state = initialStageState({
      direction: plan.metric.direction,
      nextNode: 100,
      nextSeq: 7,
      workers: plan.numWorkers,
      strategy: this.strategy.initial(),
    });
  }

  open(): void {
    const { base, plan } = this.world;
    if (base === null) return;
    this.state = { ...this.state, activeKeys: plan.components.map(({ key }) => key) };
    this.enter(null, { kind: 'base', node: base, evaluations: [] });
  }

  untilDone(searching: boolean): Completion {
    for (;;) {
      if (++this.steps > MAX_STEPS) throw new Error(`no end after ${MAX_STEPS} steps`);
      if (this.busy.length === 0) this.state = this.world.carry?.(this.state) ?? this.state;
      const end = searching ? completion(this.input()) : null;
      if (end !== null && this.busy.length === 0) return end;
      const mayGive = end === null && (this.world.plan.schedule === 'async' || this.busy.length === 0);
      if (mayGive && this.giveOut(searching) === 0 && this.busy.length === 0) return emptyBacklog(this.input());
      this.finishSome();
    }
  }

  result(): Omit<Simulated, 'end'> {
    const { state, given, events, problems, steps } = this;
    return { state, given, events, problems, steps };
  }

  private input(): PolicyInput {
    const { plan, stage } = this.world;
    const { journal, tried, exhausted, dispatched, activeKeys, wishes } = this.state;
    return {
      plan,
      stage,
      journal,
      inFlight: this.busy.map(({ item }) => item),
      tried,
      exhausted,
      dispatched,
      activeKeys,
      wishes,
    };
  }

  private giveOut(searching: boolean): number {
    const free = this.state.rounds
      .map((_, worker) => worker)
      .filter((worker) => !this.busy.some((busy) => busy.worker === worker));
    const backlog = free.length === 0 ? [] : searching ? this.backlog(this.strategy.lookahead(free.length)) : this.closing();
    const inFlight = this.busy.map(({ item }) => item.id);
    const keys = backlog.map(({ id }) => id);
    const { state, units } = this.strategy.plan(this.state.strategy, {
      nWorkers: this.state.rounds.length,
      free,
      roundOf: this.state.rounds,
      keys,
      inFlight,
      facts: Object.fromEntries(backlog.map((item) => [item.id, factsOf(item, this.state.journal, this.world.plan)])),
      components: changeable(this.world.plan.components, this.state.activeKeys),
    });
    this.state = { ...this.state, strategy: z.json().parse(state) };
    const started = units.flatMap(({ worker, keys: [key] }) =>
      backlog.filter(({ id }) => id === key).map((item) => ({ worker, item })),
    );
    for (const { worker, item } of started) this.start(worker, item);
    return started.length;
  }

  private backlog(want: number): Item[] {
    const backlog = policyNamed(this.world.plan.search.policy).backlog(this.input(), want);
    this.problems.push(...backlogProblems(this.input(), want, backlog));
    return backlog;
  }

  private closing(): Item[] {
    const { plan, stage } = this.world;
    return closingItems(
      plan,
      stage,
      this.state.journal,
      this.busy.map(({ item }) => item),
    );
  }

  private start(worker: number, item: Item): void {
    if (this.given.some(({ id }) => id === item.id)) this.problems.push(`${item.id} was given out twice`);
    const node = item.kind === 'node' ? nodeId(this.state.nextNode) : item.node;
    this.busy.push({ worker, item, node, journal: this.state.journal });
    this.given.push(item);
    this.state = withDispatched(this.state, worker, item);
    this.check();
  }

  /** All of a round in plan order at a barrier, any one of those that run otherwise. */
  private finishSome(): void {
    const isBarrier = this.world.plan.schedule === 'barrier';
    if (isBarrier) this.busy.sort((a, b) => a.worker - b.worker);
    for (let left = isBarrier ? this.busy.length : 1; left > 0; left--) {
      const [done] = this.busy.splice(isBarrier ? 0 : this.luck.below(Math.max(1, this.busy.length)), 1);
      if (done !== undefined) this.enter(done.item, this.outcomeOf(done));
    }
  }

  private enter(item: Item | null, outcome: ItemOutcome): void {
    this.events.push(outcomeEvent(this.state, this.world.stage.name, outcome));
    this.state = withOutcome(this.state, item, outcome);
    this.check();
    this.world.onState?.(this.state);
  }

  /** T1, and the stage's limit. */
  private check(): void {
    const making = this.busy.filter(({ item }) => item.kind === 'node').length;
    const made = this.state.journal.nodes.length;
    if (this.state.dispatched !== made + making)
      this.problems.push(`${this.state.dispatched} dispatched, ${made} made, ${making} coming`);
    if (this.state.dispatched > this.world.stage.maxNodes) this.problems.push(`${this.state.dispatched} nodes`);
  }

  private outcomeOf({ item, node, journal }: Busy): ItemOutcome {
    if (item.kind === 'plot') return { kind: 'plot', node, evaluations: [] };
    if (item.kind === 'replicate')
      return {
        kind: 'replica',
        node,
        replica: item.replica,
        metric: this.luck.below(9) === 0 ? null : this.luck.next(),
        evaluations: [],
      };
    const fate = this.fate();
    if (fate === 'dropped') return droppedOutcome(item, 'duplicate');
    if (fate === 'exhausted') return droppedOutcome(item, 'exhausted');
    const parent = findNode(journal, item.parent);
    const draft = { id: node, stage: this.world.stage.name, item, parent, label: parent?.label ?? 'family', changed: [] };
    const core = { ...nodeCore(draft), experiment: refOf(Number(node.slice(1))) };
    const made: Node =
      fate === 'good'
        ? { ...core, status: 'good', metric: this.luck.below(20) / 20, scores: {} }
        : { ...core, status: 'buggy', reason: this.luck.below(8) === 0 ? 'poison' : 'exception', message: 'it failed' };
    return { kind: 'node', node: made, plan: '', evaluations: [] };
  }

  private fate(): keyof Fates {
    const { good, buggy, dropped, exhausted } = this.world.fates;
    const at = this.luck.below(good + buggy + dropped + exhausted);
    if (at < good) return 'good';
    if (at < good + buggy) return 'buggy';
    return at < good + buggy + dropped ? 'dropped' : 'exhausted';
  }
}
