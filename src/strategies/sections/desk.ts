import type { Subject } from '../../domain/item-facts.ts';
import { isOpen, recordOf, type SectionState } from './record.ts';
import { keysBySection, ownersOf, turnOf, type Owners, type Partition } from './partition.ts';
import type { PlanInput } from '../strategy.ts';

/** The settings of a plan over sections. */
export interface SectionOptions {
  /** Sections; `null` for one a worker. */
  readonly sections: number | null;
  /** The keys to divide; `null` for all that may change. */
  readonly keys: readonly string[] | null;
  readonly partition: Partition;
  /** By what an item finds its section; `null` for any. */
  readonly route: Subject | null;
  /** What becomes of items that no section owns. */
  readonly unrouted: 'any' | 'drop';
  readonly rotate: boolean;
}

/** The key space in sections. */
export interface Division {
  readonly count: number;
  readonly owners: Owners;
  /** The keys of each section. */
  readonly keys: readonly (readonly string[])[];
}

/** All that a plan over sections is made from; `keys` are the items that nobody works on. */
export interface Desk extends PlanInput {
  readonly options: SectionOptions;
  readonly division: Division;
  /** The node that items with a section start from; `null` when there are none. */
  readonly base: string | null;
  /** The sections that have something left for the base, ascending. */
  readonly open: readonly number[];
  /** The items of the base that have a section. */
  readonly items: readonly string[];
  /** The items that have none, merges first. */
  readonly others: readonly string[];
}

/** The operators that have a section: those that change something of their parent. */
const SECTIONED: readonly string[] = ['tune', 'improve'];

/** Divides the keys that may change: over the sections that are wanted, else one a worker; never more than keys. */
export function divisionOf(
  { sections, keys, partition }: Pick<SectionOptions, 'sections' | 'keys' | 'partition'>,
  components: readonly string[],
  workers: number,
): Division {
  const space = new Set(keys === null ? components : keys.filter((key) => components.includes(key)));
  const count = Math.min(sections ?? Math.max(1, workers), space.size);
  const owners = ownersOf([...space], count, partition);
  return { count, owners, keys: keysBySection(owners, count) };
}

/** Sorts the backlog into what has a section and what has none. */
export function deskOf(options: SectionOptions, state: SectionState, input: PlanInput): Desk {
  const division = divisionOf(options, input.components, input.nWorkers);
  const keys = input.keys.filter((key) => !input.inFlight.includes(key));
  const base = keys.map((key) => baseOf(input, key)).find((parent) => parent !== null) ?? null;
  const loose = keys.filter((key) => baseOf(input, key) === null);
  const others = [...loose.filter((key) => isMerge(input, key)), ...loose.filter((key) => !isMerge(input, key))];
  const desk = { ...input, keys, options, division, base, others };
  if (base === null || division.count === 0) return { ...desk, open: [], items: [] };
  const record = recordOf(state, base, division.count);
  const isLeft = (key: string): boolean => !record.spent.includes(input.facts[key]?.target ?? '');
  return {
    ...desk,
    open: division.keys.flatMap((own, section) => (isOpen(record, section, own) ? [section] : [])),
    items: keys.filter((key) => baseOf(input, key) === base && isLeft(key)),
  };
}

/**
 * The section that a worker is to work in: its own, which with `rotate` is another one in each round; where
 * nothing is left there, the next one that has. Some section must have something left.
 */
export function sectionFor({ options, division, nWorkers, roundOf, open }: Desk, worker: number): number {
  const shift = options.rotate ? (roundOf[worker] ?? 0) * nWorkers : 0;
  const own = turnOf(worker + shift, division.count);
  return open.find((section) => section >= own) ?? open[0] ?? own;
}

/** The section that the route leads an item to; `null` for none. */
export function routedTo({ options, facts, division }: Desk, item: string): number | null {
  const key = options.route === null ? null : facts[item]?.[options.route];
  return key === null || key === undefined ? null : (division.owners.get(key) ?? null);
}

/** Whether an item unites nodes. */
export function isMerge({ facts }: Pick<PlanInput, 'facts'>, key: string): boolean {
  return facts[key]?.operator === 'merge';
}

/** The node that an item with a section starts from; `null` for an item that has none. */
function baseOf({ facts }: PlanInput, key: string): string | null {
  const about = facts[key];
  return about !== undefined && SECTIONED.includes(about.operator) ? about.parent : null;
}
