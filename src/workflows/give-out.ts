import { CancellationScope } from '@temporalio/workflow';
import { z } from 'zod';
import { nodeId } from '../domain/ids.ts';
import type { Item } from '../domain/item.ts';
import { backlogOf } from '../search/backlog.ts';
import { closingItems } from '../search/closing.ts';
import { changeable, factsOf } from '../search/item-facts.ts';
import { policyNamed } from '../search/registry.ts';
import { withDispatched } from '../search/stage-state.ts';
import type { WorkUnit } from '../strategies/strategy.ts';
import { orFailWorkflow } from './failures.ts';
import { workOn, type ItemContext } from './item-work.ts';
import { standingOf } from './standing.ts';
import { isClaimed, itemsInFlight, policyInput, type Running, type StageRuntime } from './stage-runtime.ts';

/**
 * Giving out work: backlog from the policy, split by the strategy, one item of each unit started.
 *
 * G1 A barrier plans for all workers at once; asynchronous workers are planned for as they come free.
 * G2 At a barrier experiments are claimed in plan order, whatever order the proposals come in, so that
 *    which of two equal ones is the duplicate does not depend on timing (P2).
 */
export function giveOut(runtime: StageRuntime): number {
  const free = runtime.state.rounds.map((_, worker) => worker).filter((worker) => !runtime.running.has(worker));
  const backlog = free.length === 0 ? [] : backlogFor(runtime, free.length);
  if (backlog.length === 0) return 0;
  const given = unitsFor(runtime, free, backlog).flatMap((unit) => chosenItem(runtime, unit, backlog));
  let turn: Promise<void> = Promise.resolve();
  for (const { unit, item } of given) {
    const claimed = start(runtime, { unit, item, turn });
    if (runtime.plan.schedule === 'barrier') turn = claimed;
  }
  return given.length;
}

function backlogFor(runtime: StageRuntime, free: number): Item[] {
  if (runtime.phase === 'closing')
    return closingItems(runtime.plan, runtime.definition, runtime.state.journal, itemsInFlight(runtime));
  const { plan, strategy, state } = runtime;
  const policy = orFailWorkflow(() => policyNamed(plan.search.policy));
  const [merges, base] = [strategy.merges(state.strategy), strategy.base(state.strategy)];
  return backlogOf(policy, policyInput(runtime), { want: strategy.lookahead(free), merges, base });
}

function unitsFor(runtime: StageRuntime, free: number[], backlog: readonly Item[]): WorkUnit[] {
  const { plan, state, strategy } = runtime;
  const planned = strategy.plan(state.strategy, {
    nWorkers: state.rounds.length,
    free,
    roundOf: state.rounds,
    keys: backlog.map(({ id }) => id),
    inFlight: itemsInFlight(runtime).map(({ id }) => id),
    facts: Object.fromEntries(backlog.map((item) => [item.id, factsOf(item, state.journal, plan)])),
    components: changeable(plan.components, state.activeKeys),
  });
  runtime.state = { ...state, strategy: z.json().parse(planned.state) };
  return planned.units;
}

/** The first item of a unit that nobody has yet; none when there is no such item. */
function chosenItem(runtime: StageRuntime, unit: WorkUnit, backlog: readonly Item[]): { unit: WorkUnit; item: Item }[] {
  const busy = itemsInFlight(runtime).map(({ id }) => String(id));
  const key = unit.keys.find((candidate) => !busy.includes(candidate));
  const item = backlog.find(({ id }) => id === key);
  return item === undefined ? [] : [{ unit, item }];
}

/** Starts an item; the promise resolves when it has claimed its experiment, or ended without one. */
function start(runtime: StageRuntime, given: { unit: WorkUnit; item: Item; turn: Promise<void> }): Promise<void> {
  const { unit, item, turn } = given;
  const claimed = new Promise<void>((resolve) => {
    const node = item.kind === 'node' ? nodeId(runtime.state.nextNode) : item.node;
    const running: Running = {
      unit,
      item,
      node,
      scope: new CancellationScope(),
      doing: 'starting',
      experiment: null,
      outcome: undefined,
      strategy: runtime.strategy,
      ended: 'cancelled',
    };
    const context = itemContext(runtime, running, { turn, claimed: resolve });
    runtime.running.set(unit.worker, running);
    runtime.state = withDispatched(runtime.state, unit.worker, item);
    void carryOut(runtime, running, context).finally(resolve);
  });
  return item.kind === 'node' ? claimed : turn;
}

/** Never rejects: what an item cannot turn into an outcome of its own ends the stage. */
async function carryOut(runtime: StageRuntime, running: Running, context: ItemContext): Promise<void> {
  try {
    running.outcome = await running.scope.run(() => workOn(context, running.item));
  } catch (error) {
    runtime.broken ??= error instanceof Error ? error : new Error('an item threw what is no error', { cause: error });
  } finally {
    runtime.running.delete(running.unit.worker);
    runtime.finished.push(running);
  }
}

function itemContext(runtime: StageRuntime, running: Running, order: { turn: Promise<void>; claimed: () => void }): ItemContext {
  const since = runtime.state.outcomes.committed;
  return {
    plan: runtime.plan,
    pool: runtime.pool,
    stage: runtime.definition,
    journal: runtime.state.journal,
    node: running.node,
    before: runtime.state.nextSeq,
    allowedKeys: running.unit.mayChange ?? null,
    turn: order.turn,
    title: titleOf(running),
    standing: () => standingOf(runtime, running.item, since),
    doing: (text) => {
      running.doing = text;
    },
    endedAs: () => running.ended,
    claim: (experiment) => {
      const isFree = !isClaimed(runtime, experiment);
      if (isFree) running.experiment = experiment;
      order.claimed();
      return isFree;
    },
  };
}

/** What an item is called in the Web UI: `improve n17`. */
function titleOf({ item, node }: Running): string {
  const what = item.kind === 'node' ? item.operator : item.kind;
  return `${what} ${node}`;
}
