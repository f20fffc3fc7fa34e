import { z } from 'zod';
import { assertNever, clip, PlatformFailure } from '../domain/failure.ts';
import type { StageName } from '../domain/ids.ts';
import { emptyJournal, findNode, StageJournal, type JournalEvent } from '../domain/journal.ts';
import { Outcomes, noOutcomes } from '../domain/messages.ts';
import { gain, type Direction } from '../domain/metric.ts';
import { metricOf, type Node } from '../domain/node.ts';
import type { Item } from '../domain/item.ts';
import type { ItemOutcome } from './outcome.ts';
import { workKeyOf } from './work.ts';

/**
 * The state of a stage between two plans: plain, versioned data that continue-as-new carries. It changes
 * only through the functions below, each of which returns a new state.
 *
 * T1 `dispatched` counts nodes given out, less those that became none (dropped items).
 * T2 `nextSeq` numbers journal events in the order in which outcomes are applied.
 */
export const StageState = z.strictObject({
  v: z.literal(1),
  journal: StageJournal,
  /** The strategy's own state, opaque here. */
  strategy: z.json(),
  dispatched: z.number().int().min(0),
  /** Number of the next node of the run. */
  nextNode: z.number().int().min(1),
  /** Number of the next journal event of the run. */
  nextSeq: z.number().int().min(0),
  tried: z.record(z.string(), z.number().int().min(1)),
  /** How often each work was dropped; no entry for one that never was. */
  drops: z.record(z.string(), z.number().int().min(1)),
  exhausted: z.array(z.string()),
  /** Component keys that can be worked on in the base, as the policy sees them. */
  activeKeys: z.array(z.string()),
  /** Each plan worker's own round counter; its length is the number of workers. */
  rounds: z.array(z.number().int().min(0)).min(1),
  outcomes: Outcomes,
});
export type StageState = z.infer<typeof StageState>;

/** How often equal work may be dropped before it counts as exhausted. */
const MAX_DROPS = 3;

/** Longest message of a buggy node in the carried journal. */
const MAX_CARRIED_MESSAGE = 120;

/** Largest state that continue-as-new may carry; the server refuses 2 MiB, which would hang the stage for ever. */
const MAX_STATE_CHARACTERS = 1_500_000;

/**
 * The state, checked before continue-as-new carries it.
 *
 * @throws PlatformFailure `StateTooLarge`
 */
export function carriedState(state: StageState): StageState {
  const size = JSON.stringify(state).length;
  if (size <= MAX_STATE_CHARACTERS) return state;
  throw new PlatformFailure(
    'StateTooLarge',
    `the stage's journal of ${state.journal.nodes.length} nodes takes ${size} characters, ${MAX_STATE_CHARACTERS} may be carried on`,
    'lower stageN_max_iters; what was done is in the run’s folder',
  );
}

/** The state of a stage that begins. */
export function initialStageState(start: { nextNode: number; nextSeq: number; workers: number; strategy: unknown }): StageState {
  return {
    v: 1,
    journal: emptyJournal(),
    strategy: z.json().parse(start.strategy),
    dispatched: 0,
    nextNode: start.nextNode,
    nextSeq: start.nextSeq,
    tried: {},
    drops: {},
    exhausted: [],
    activeKeys: [],
    rounds: Array.from({ length: start.workers }, () => 0),
    outcomes: noOutcomes(),
  };
}

/** After an item was given to a worker: its round is counted, and a node its number. */
export function withDispatched(state: StageState, worker: number, item: Item): StageState {
  const rounds = state.rounds.map((round, index) => (index === worker ? round + 1 : round));
  if (item.kind !== 'node') return { ...state, rounds };
  const key = workKeyOf(item);
  return {
    ...state,
    rounds,
    dispatched: state.dispatched + 1,
    outcomes: { ...state.outcomes, dispatched: state.outcomes.dispatched + 1 },
    nextNode: state.nextNode + 1,
    tried: { ...state.tried, [key]: (state.tried[key] ?? 0) + 1 },
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
  const next = {
    ...withNextSeq(state),
    journal: journalWith(state.journal, outcome),
    outcomes: countsWith(state.outcomes, outcome),
  };
  return outcome.kind === 'dropped' && item?.kind === 'node' ? withDrop(next, item, outcome.reason === 'exhausted') : next;
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

function withDrop(state: StageState, item: Extract<Item, { kind: 'node' }>, nothingLeft: boolean): StageState {
  const key = workKeyOf(item);
  const times = (state.drops[key] ?? 0) + 1;
  const drops = { ...state.drops, [key]: times };
  const isExhausted = nothingLeft || times >= MAX_DROPS;
  const exhausted = isExhausted && !state.exhausted.includes(key) ? [...state.exhausted, key] : state.exhausted;
  const outcomes = { ...state.outcomes, dispatched: state.outcomes.dispatched - 1 };
  return { ...state, dispatched: state.dispatched - 1, drops, exhausted, outcomes };
}

/** As carried: the whole message is in the journal event. */
function compact(node: Node): Node {
  return node.status === 'buggy' ? { ...node, message: clip(node.message, MAX_CARRIED_MESSAGE) } : node;
}

function journalWith(journal: StageJournal, outcome: ItemOutcome): StageJournal {
  switch (outcome.kind) {
    case 'base':
      return { ...journal, base: compact(outcome.node) };
    case 'node':
      return { ...journal, nodes: [...journal.nodes, compact(outcome.node)] };
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

function countsWith(counts: Outcomes, outcome: ItemOutcome): Outcomes {
  switch (outcome.kind) {
    case 'base':
      return counts;
    case 'node':
      return { ...counts, [outcome.node.status]: counts[outcome.node.status] + 1 };
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
