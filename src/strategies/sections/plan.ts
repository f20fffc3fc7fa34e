import { deskOf, isMerge, routedTo, sectionFor, type Desk, type SectionOptions } from './desk.ts';
import { recordOf, withRecord, withUnited, type SectionState } from './record.ts';
import { modulo, rotatingShards } from '../shards.ts';
import type { PlanInput, WorkUnit } from '../strategy.ts';

/**
 * A plan over sections of component keys.
 *
 * N1 All units of a plan that have a section start from one node, that of the first item that can have one.
 * N2 Only items that tune or improve a node have a section. All else may touch any key and goes to any worker:
 *    merges at once, the rest in its place of the backlog.
 * N3 Items go out without a section when every section is exhausted, and when nobody works and no section has one.
 */

/** A worker and the section that it works in. */
export interface Seat {
  readonly worker: number;
  readonly section: number;
}

/**
 * The items that each seat may choose from, in order. With a route, those that it leads to the seat's section, the
 * same list for two seats of a section; without, the worker's rotating shard.
 */
export function sectionLists(
  items: readonly string[],
  seats: readonly Seat[],
  { route, ...input }: Pick<PlanInput, 'nWorkers' | 'roundOf'> & { readonly route: ((item: string) => number | null) | null },
): string[][] {
  if (route === null) return rotatingShards(items, { ...input, free: seats.map(({ worker }) => worker) });
  return seats.map(({ section }) => items.filter((item) => route(item) === section));
}

/** The plan, and the state after it. */
export function sectionPlan(
  options: SectionOptions,
  state: SectionState,
  input: PlanInput,
): { state: SectionState; units: WorkUnit[] } {
  const desk = deskOf(options, state, input);
  const shared = desk.open.length === 0 ? null : sharedOut(desk);
  const isStuck = desk.inFlight.length === 0 && shared?.every(({ keys }) => keys.length === 0);
  const units = shared === null || isStuck === true ? withoutSections(desk) : shared;
  return { state: stateAfter(state, desk, units), units };
}

/**
 * Items without a section that are due go to workers who would be idle, then to the others by turns; who still has
 * nothing gets one that is not due.
 */
function sharedOut(desk: Desk): WorkUnit[] {
  const { free, others } = desk;
  const isDue = (key: string): boolean => isMerge(desk, key) || desk.keys.indexOf(key) < free.length;
  const queue = [...others.filter(isDue), ...others.filter((key) => !isDue(key))];
  const takers = inTurn(desk).slice(0, others.filter(isDue).length);
  const rest = free.filter((worker) => !takers.includes(worker));
  const units = [...takers.map((worker) => loose(worker, queue.splice(0, 1))), ...inSections(desk, rest)];
  const filled = units.map((unit) =>
    unit.keys.length > 0 || queue.length === 0 ? unit : loose(unit.worker, queue.splice(0, 1)),
  );
  return filled.sort((a, b) => a.worker - b.worker);
}

/** The free workers: who finds nothing in its section first, the others in an order that moves on with the rounds. */
function inTurn(desk: Desk): number[] {
  const { free, roundOf } = desk;
  const idle = inSections(desk, free).filter(({ keys }) => keys.length === 0);
  const start = modulo(roundOf[free[0] ?? 0] ?? 0, Math.max(1, free.length));
  return [...new Set([...idle.map(({ worker }) => worker), ...free.slice(start), ...free.slice(0, start)])];
}

/** Distinct items for these workers in their sections: the first of each one's list, spare ones, then what is left. */
function inSections(desk: Desk, workers: readonly number[]): WorkUnit[] {
  const { items, options } = desk;
  const seats = workers.map((worker) => ({ worker, section: sectionFor(desk, worker) }));
  const route = options.route === null ? null : (item: string) => routedTo(desk, item);
  const lists = sectionLists(items, seats, { ...desk, route });
  const spare = route === null ? items : items.filter((item) => options.unrouted === 'any' && route(item) === null);
  const taken = new Set<string>();
  const take = (from: readonly string[], most: number): string[] => {
    const some = from.filter((item) => !taken.has(item)).slice(0, most);
    for (const item of some) taken.add(item);
    return some;
  };
  const firsts = lists.map((list) => take(list, 1));
  const begun = firsts.map((first) => (first.length > 0 ? first : take(spare, 1)));
  return seats.map((seat, at) => seated(desk, seat, [...(begun[at] ?? []), ...take(lists[at] ?? [], items.length)]));
}

/** A unit in its section; without it when the route found none for its item and no section can touch its target. */
function seated(desk: Desk, { worker, section }: Seat, keys: string[]): WorkUnit {
  const [first = ''] = keys;
  const target = desk.facts[first]?.target ?? null;
  const isForeign = desk.options.route !== null && target !== null && routedTo(desk, first) === null;
  if (keys.length > 0 && isForeign && !desk.division.owners.has(target)) return loose(worker, keys);
  return { worker, keys, stage: 0, section, mayChange: desk.division.keys[section] ?? [] };
}

/** One item each, in order; where unrouted items are dropped, none of those. */
function withoutSections(desk: Desk): WorkUnit[] {
  const { free, keys, options, others } = desk;
  const isKept = (key: string): boolean => others.includes(key) || routedTo(desk, key) !== null;
  const isAll = options.route === null || options.unrouted === 'any';
  const queue = isAll ? [...keys] : keys.filter(isKept);
  return free.map((worker) => loose(worker, queue.splice(0, 1)));
}

function loose(worker: number, keys: string[]): WorkUnit {
  return { worker, keys, stage: 0, section: null, mayChange: null };
}

function stateAfter(state: SectionState, desk: Desk, units: readonly WorkUnit[]): SectionState {
  const given = units.flatMap(({ keys }) => desk.facts[keys[0] ?? ''] ?? []);
  const merges = given.filter(({ operator }) => operator === 'merge');
  return merges.reduce((after, { parent, target }) => withUnited(after, parent, target), withBase(state, desk, units));
}

/** With the base as the latest when it is worked on in sections, and whether it still can be. */
function withBase(state: SectionState, { base, division, open }: Desk, units: readonly WorkUnit[]): SectionState {
  const isDivided = units.some(({ section, keys }) => section !== null && keys.length > 0);
  const isLatest = state.bases[0]?.base === base;
  if (base === null || division.count === 0 || !(isDivided || isLatest)) return state;
  return withRecord(state, { ...recordOf(state, base, division.count), isOpen: open.length > 0 });
}
