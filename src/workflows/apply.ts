import type { NodeId } from '../domain/ids.ts';
import { CancellationScope } from '@temporalio/workflow';
import type { Item } from '../domain/item.ts';
import type { JournalEvent } from '../domain/journal.ts';
import type { StrategyOutcome } from '../strategies/strategy.ts';
import { factsOf } from '../search/item-facts.ts';
import type { ItemOutcome } from '../search/outcome.ts';
import { withPruned } from '../search/pruning.ts';
import { gainOf, outcomeEvent, withNextSeq, withOutcome } from '../search/stage-state.ts';
import { z } from 'zod';
import { control } from './activity-proxies.ts';
import { isPatched } from './patches.ts';
import { bestRecord, type Running, type StageRuntime } from './stage-runtime.ts';
import { showProgress, tellRun } from './visibility.ts';

/**
 * Applying results: each outcome is written to the run's folder under its event number, entered in the
 * journal, and shown to the strategy, before anything is planned from it.
 *
 * A1 At a barrier results are applied in plan order, when all are in; asynchronous ones as they come in.
 */
export async function applyFinished(runtime: StageRuntime): Promise<void> {
  if (runtime.plan.schedule === 'barrier' && runtime.running.size > 0) return;
  const ready = runtime.finished.slice();
  if (runtime.plan.schedule === 'barrier') ready.sort((a, b) => a.unit.worker - b.unit.worker);
  for (const running of ready) await applyOne(runtime, running);
  if (ready.length > 0) showProgress(runtime);
}

/** Enters the base's evaluation in the journal. */
export async function applyBase(runtime: StageRuntime, outcome: ItemOutcome): Promise<void> {
  await enter(runtime, { item: null, outcome });
  showProgress(runtime);
}

/** Writes an event that changes nothing in the tree: a stage's start or end, a person's steering. */
export async function note(runtime: StageRuntime, event: NoteContent): Promise<void> {
  const numbered: JournalEvent = { ...event, seq: runtime.state.nextSeq, stage: runtime.definition.name };
  await writeEvent(runtime, numbered);
  runtime.state = withNextSeq(runtime.state);
}

/** An event without its number and stage. */
export type NoteContent = WithoutNumber<
  Extract<JournalEvent, { kind: 'stage_started' | 'stage_finished' | 'steered' | 'blamed' }>
>;
type WithoutNumber<T> = T extends unknown ? Omit<T, 'seq' | 'stage'> : never;

/** Takes a node and what descends from it out of the search, and tells the run when another node is best then. */
export function pruneNode(runtime: StageRuntime, node: NodeId): void {
  const best = bestRecord(runtime)?.id;
  runtime.state = withPruned(runtime.state, node);
  const now = bestRecord(runtime);
  if (now?.id !== best) tellRun(runtime, now ?? null);
}

async function applyOne(runtime: StageRuntime, running: Running): Promise<void> {
  const { item, outcome, node } = running;
  if (outcome !== null && outcome !== undefined) {
    await enter(runtime, {
      item,
      outcome,
      observe: () => {
        observe(runtime, running, outcome);
      },
    });
    // It may have finished just before it could be ended.
    if (running.ended === 'pruned' && item.kind === 'node') pruneNode(runtime, node);
  }
  runtime.finished.splice(runtime.finished.indexOf(running), 1);
}

/** Writes an outcome's event, shows it to `observe`, enters it in the journal, and tells the run of a new best. */
async function enter(
  runtime: StageRuntime,
  { item, outcome, observe: show }: { item: Item | null; outcome: ItemOutcome; observe?: () => void },
): Promise<void> {
  const best = bestRecord(runtime)?.id;
  await writeEvent(runtime, outcomeEvent(runtime.state, runtime.definition.name, outcome));
  show?.();
  runtime.state = withOutcome(runtime.state, item, outcome);
  countWasted(runtime.wasted, outcome);
  const now = bestRecord(runtime);
  if (now !== undefined && now.id !== best) tellRun(runtime, now);
}

function countWasted(wasted: string[], outcome: ItemOutcome): void {
  if (outcome.kind !== 'node') return;
  if (outcome.node.status === 'buggy' && outcome.node.reason === 'infrastructure') wasted.push(outcome.node.message);
  else wasted.length = 0;
}

function observe(runtime: StageRuntime, running: Running, outcome: ItemOutcome): void {
  const seen = strategyOutcome(runtime, running.item, outcome);
  if (seen === null) return;
  if (running.strategy !== runtime.strategy) return;
  const state = runtime.strategy.observe(runtime.state.strategy, running.unit, running.item.id, seen);
  runtime.state = { ...runtime.state, strategy: z.json().parse(state) };
}

/** What a strategy learns of an outcome; it is told of nodes and dropped items only. */
function strategyOutcome({ state, plan }: StageRuntime, item: Item, outcome: ItemOutcome): StrategyOutcome | null {
  if (outcome.kind !== 'dropped' && outcome.kind !== 'node') return null;
  const facts = factsOf(item, state.journal, plan);
  if (outcome.kind === 'dropped') {
    const isExhausted = outcome.reason === 'exhausted' || outcome.reason === 'section_exhausted';
    return { status: 'dropped', gain: null, node: null, facts, isExhausted };
  }
  const gain = gainOf(state, outcome, plan.metric.direction);
  return { status: outcome.node.status, gain, node: outcome.node.id, facts, isExhausted: false };
}

/**
 * A cancellation does not interrupt it: whether the file was written would be unknown then, and the number of the
 * event either lost or given to another one.
 */
async function writeEvent(runtime: StageRuntime, event: JournalEvent): Promise<void> {
  const { recordEvent } = control(runtime.plan, `record ${event.kind} ${event.seq}`);
  const write = (): Promise<void> => recordEvent({ runId: runtime.plan.runId, event });
  await (isPatched('wholeEvents') ? CancellationScope.nonCancellable(write) : write());
}
