import { z } from 'zod';
import { assertNever, type DropReason } from '../domain/failure.ts';
import type { StageName } from '../domain/ids.ts';
import { bestNode, emptyJournal, findNode, journalWithNode, type JournalEvent, type StageJournal } from '../domain/journal.ts';
import { Outcomes, noOutcomes } from '../domain/messages.ts';
import { Direction, gain } from '../domain/metric.ts';
import { metricOf, type Node } from '../domain/node.ts';
import type { Item } from '../domain/item.ts';
import type { ItemOutcome } from './outcome.ts';
import { emptyTally, timesOf, withOneMore, type Tally } from './tally.ts';
import { noWishes, Wishes, withoutAdded } from './wishes.ts';
import { workKeyOf } from './work.ts';

/**
 * The state of a stage between two plans. It is data that changes only through the functions below, each of which
 * returns a new state; continue-as-new carries it in a denser form (carried-state.ts).
 *
 * T1 `dispatched` counts nodes given out, less those that became none (dropped items).
 * T2 `nextSeq` numbers journal events in the order in which outcomes are applied.
 */
export interface StageState extends PlainState {
  readonly journal: StageJournal;
  /** How often each work was given out. */
  readonly tried: Tally;
  /** How often each work was dropped. */
  readonly drops: Tally;
}

/** What is carried on as it is. */
export const PlainState = z.strictObject({
  /** Which way the metric is better. */
  direction: Direction,
  /** The strategy's own state, opaque here. */
  strategy: z.json(),
  dispatched: z.number().int().min(0),
  /** Number of the next node of the run. */
  nextNode: z.number().int().min(1),
  /** Number of the next journal event of the run. */
  nextSeq: z.number().int().min(0),
  exhausted: z.array(z.string()),
  /** Component keys that can be worked on in the base, as the policy sees them. */
  activeKeys: z.array(z.string()),
  /** Each plan worker's own round counter; its length is the number of workers. */
  rounds: z.array(z.number().int().min(0)).min(1),
  outcomes: Outcomes,
  /** What a person asked for. */
  wishes: Wishes.prefault({}),
});
export type PlainState = z.infer<typeof PlainState>;

/** How often equal work may be dropped before it counts as exhausted. */
const MAX_DROPS = 3;

/** What a stage begins with. */
export interface StageStart {
  readonly direction: Direction;
  readonly nextNode: number;
  readonly nextSeq: number;
  readonly workers: number;
  readonly strategy: unknown;
  /** Nodes that the run's budget leaves it; `null` without a budget. */
  readonly budgetLeft?: number | null;
  /** The node limit that a person set; `null` for the plan's. */
  readonly maxNodes?: number | null;
}

/** The state of a stage that begins. */
export function initialStageState(start: StageStart): StageState {
  return {
    direction: start.direction,
    journal: emptyJournal(),
    strategy: z.json().parse(start.strategy),
    dispatched: 0,
    nextNode: start.nextNode,
    nextSeq: start.nextSeq,
    tried: emptyTally(),
    drops: emptyTally(),
    exhausted: [],
    activeKeys: [],
    rounds: Array.from({ length: start.workers }, () => 0),
    outcomes: noOutcomes(),
    wishes: noWishes(start),
  };
}

/** After an item was given to a worker: its round is counted, and a node its number. */
export function withDispatched(state: StageState, worker: number, item: Item): StageState {
  const rounds = state.rounds.map((round, index) => (index === worker ? round + 1 : round));
  if (item.kind !== 'node') return { ...state, rounds };
  return {
    ...state,
    rounds,
    dispatched: state.dispatched + 1,
    outcomes: { ...state.outcomes, dispatched: state.outcomes.dispatched + 1 },
    nextNode: state.nextNode + 1,
    tried: withOneMore(state.tried, workKeyOf(item)),
    wishes: withoutAdded(state.wishes, item),
  };
}

/** With another number of workers from the next plan on. */
export function withWorkers(state: StageState, workers: number): StageState {
  return { ...state, rounds: Array.from({ length: workers }, (_, index) => state.rounds[index] ?? 0) };
}

/** After an event that is only written down (stage started or finished, steering). */
export function withNextSeq(state: StageState): StageState {
  return { ...state, nextSeq: state.nextSeq + 1 };
}

/** After an outcome: the journal, the counts and the next event number. `item` is `null` for the base. */
export function withOutcome(state: StageState, item: Item | null, outcome: ItemOutcome): StageState {
  const journal = journalWith(state, outcome);
  const isBest = outcome.kind === 'node' && bestNode(journal, state.direction)?.id === outcome.node.id;
  const counts = countsWith(state.outcomes, outcome);
  const next = { ...withNextSeq(state), journal, outcomes: isBest ? { ...counts, committed: counts.committed + 1 } : counts };
  return outcome.kind === 'dropped' && item?.kind === 'node' ? withDrop(next, item, outcome.reason) : next;
}

/** The journal event of an outcome, under the number that `state` gives it. */
export function outcomeEvent(state: StageState, stage: StageName, outcome: ItemOutcome): JournalEvent {
  return { seq: state.nextSeq, stage, ...outcome };
}

/** The gain of an outcome over its parent, as strategies learn from it; `null` when there is none. */
export function gainOf(state: StageState, outcome: ItemOutcome, direction: Direction): number | null {
  if (outcome.kind !== 'node' || outcome.node.status !== 'good') return null;
  const parent = findNode(state.journal, outcome.node.parent);
  const before = parent === undefined ? null : metricOf(parent);
  return before === null ? null : gain(direction, outcome.node.metric, before);
}

function withDrop(state: StageState, item: Extract<Item, { kind: 'node' }>, reason: DropReason): StageState {
  const key = workKeyOf(item);
  const drops = withOneMore(state.drops, key);
  const isExhausted = reason === 'exhausted' || timesOf(drops, key) >= mostDrops(state, reason);
  const exhausted = isExhausted && !state.exhausted.includes(key) ? [...state.exhausted, key] : state.exhausted;
  const outcomes = { ...state.outcomes, dispatched: state.outcomes.dispatched - 1 };
  return { ...state, dispatched: state.dispatched - 1, drops, exhausted, outcomes };
}

/** What one section cannot do another may: such drops are bounded by what each of the keys could be a section of. */
function mostDrops({ activeKeys }: StageState, reason: DropReason): number {
  const isOfSection = reason === 'section_violation' || reason === 'section_exhausted';
  return isOfSection ? MAX_DROPS * (1 + activeKeys.length) : MAX_DROPS;
}

function journalWith({ journal, direction }: StageState, outcome: ItemOutcome): StageJournal {
  switch (outcome.kind) {
    case 'base':
      return { ...journal, base: outcome.node };
    case 'node':
      return journalWithNode(journal, outcome.node, direction);
    case 'replica': {
      const replicas = { ...journal.replicas[outcome.node], [String(outcome.replica)]: outcome.metric };
      return { ...journal, replicas: { ...journal.replicas, [outcome.node]: replicas } };
    }
    case 'plot':
      return { ...journal, plotted: [...journal.plotted, outcome.node] };
    case 'dropped':
      return journal;
    default:
      return assertNever(outcome);
  }
}

function countsWith(before: Outcomes, outcome: ItemOutcome): Outcomes {
  const found = 'evaluations' in outcome ? outcome.evaluations.filter(({ result }) => result.cached).length : 0;
  const counts = { ...before, cached: before.cached + found };
  switch (outcome.kind) {
    case 'base':
      return counts;
    case 'node':
      return countsWithNode(counts, outcome.node);
    case 'replica':
      return { ...counts, replicas: counts.replicas + 1 };
    case 'plot':
      return { ...counts, plots: counts.plots + 1 };
    case 'dropped':
      return { ...counts, dropped: { ...counts.dropped, [outcome.reason]: (counts.dropped[outcome.reason] ?? 0) + 1 } };
    default:
      return assertNever(outcome);
  }
}

function countsWithNode(counts: Outcomes, node: Node): Outcomes {
  if (node.status === 'good') return { ...counts, good: counts.good + 1 };
  const reasons = { ...counts.reasons, [node.reason]: (counts.reasons[node.reason] ?? 0) + 1 };
  return { ...counts, buggy: counts.buggy + 1, reasons };
}
