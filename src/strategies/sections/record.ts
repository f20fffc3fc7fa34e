import { z } from 'zod';
import type { Merge } from '../../domain/item-facts.ts';
import type { StrategyOutcome, WorkUnit } from '../strategy.ts';

/**
 * What is remembered of work in sections, for the latest bases.
 *
 * M1 Of a base each section has one winner at most, the node with the highest gain; a union has winners of
 *    different sections of one base, and no node twice.
 * M2 A section has nothing left for a base when its proposer said so of free work in it, or of each of its keys.
 * M3 At most `MAX_BASES` bases are remembered, each with no more than its sections and keys.
 */

/** Bases that are remembered: the one being worked on and those whose union may still be asked for. */
const MAX_BASES = 4;
/** Nodes of one union; more do not fit in the name of an item. Those that are left out stay winners. */
const MAX_UNITED = 16;

const Winner = z.strictObject({ section: z.number().int().min(0), node: z.string(), gain: z.number() });

const BaseRecord = z.strictObject({
  base: z.string(),
  /** Sections that the keys are divided into; with another number the record begins anew. */
  sections: z.number().int().min(1),
  winners: z.array(Winner),
  /** Whether a section had something left for it at the latest plan. */
  isOpen: z.boolean().default(true),
  /** Sections that have nothing left. */
  exhausted: z.array(z.number().int().min(0)),
  /** Component keys that have nothing left. */
  spent: z.array(z.string()),
  /** The union that was given out last, as in the target of its item. */
  united: z.string().nullable(),
});
type BaseRecord = z.infer<typeof BaseRecord>;

/** The latest base first. */
export const SectionState = z.strictObject({ v: z.literal(1), bases: z.array(BaseRecord).max(MAX_BASES) });
export type SectionState = z.infer<typeof SectionState>;

/** What is remembered of a base; nothing for a new one, or for one that was divided otherwise. */
export function recordOf({ bases }: SectionState, base: string, sections: number): BaseRecord {
  const known = bases.find((record) => record.base === base);
  if (known?.sections === sections) return known;
  return { base, sections, winners: [], isOpen: true, exhausted: [], spent: known?.spent ?? [], united: null };
}

/** With this record as the latest; the oldest is forgotten when there are too many. */
export function withRecord(state: SectionState, record: BaseRecord): SectionState {
  const others = state.bases.filter(({ base }) => base !== record.base);
  return { ...state, bases: [record, ...others].slice(0, MAX_BASES) };
}

/** After the union of a base was given out, `target` being the target of its item: it is not wanted again. */
export function withUnited(state: SectionState, base: string | null, target: string | null): SectionState {
  const bases = state.bases.map((record) =>
    record.base === base && nameOf(unionOf(record)) === target ? { ...record, united: target } : record,
  );
  return { ...state, bases };
}

/** After an item of a section; what came from no section, or from a base that is forgotten, changes nothing. */
export function withSeen(
  state: SectionState,
  { section, mayChange }: WorkUnit,
  seen: { readonly outcome: StrategyOutcome; readonly minGain: number },
): SectionState {
  const { parent, target } = seen.outcome.facts;
  const change = (record: BaseRecord): BaseRecord => {
    if (record.base !== parent || section === null || section >= record.sections) return record;
    if (seen.outcome.isExhausted) return withExhausted(record, { section, target, keys: mayChange ?? [] });
    return withWinner(record, { section, ...seen });
  };
  return { ...state, bases: state.bases.map(change) };
}

/** Whether a section that owns `keys` has something left for the base. */
export function isOpen({ exhausted, spent }: BaseRecord, section: number, keys: readonly string[]): boolean {
  return !exhausted.includes(section) && keys.some((key) => !spent.includes(key));
}

/** The node that is worked on until none of its sections has anything left; `null` when there is none. */
export function heldBase({ bases: [latest] }: SectionState): string | null {
  return latest?.isOpen === true ? latest.base : null;
}

/** The unions of two winners or more that were not given out, of the latest base first. */
export function wantedUnions({ bases }: SectionState): Merge[] {
  return bases
    .map((record) => ({ base: record.base, nodes: unionOf(record), united: record.united }))
    .filter(({ nodes, united }) => nodes.length >= 2 && nameOf(nodes) !== united)
    .map(({ base, nodes }) => ({ base, nodes }));
}

/** An item with a target says something of that key only, and nothing when the key is not of the section. */
function withExhausted(
  record: BaseRecord,
  { section, target, keys }: { section: number; target: string | null; keys: readonly string[] },
): BaseRecord {
  if (target === null) return { ...record, exhausted: withOne(record.exhausted, section) };
  return keys.includes(target) ? { ...record, spent: withOne(record.spent, target) } : record;
}

function withWinner(
  record: BaseRecord,
  { section, outcome, minGain }: { section: number; outcome: StrategyOutcome; minGain: number },
): BaseRecord {
  const { node, status } = outcome;
  const gain = status === 'good' ? Math.min(outcome.gain ?? 0, Number.MAX_VALUE) : 0;
  const best = record.winners.find((winner) => winner.section === section);
  const isKnown = record.winners.some((winner) => winner.node === node);
  if (node === null || isKnown || !(gain > minGain) || (best !== undefined && !(gain > best.gain))) return record;
  return { ...record, winners: [...record.winners.filter((winner) => winner !== best), { section, node, gain }] };
}

function unionOf({ winners }: BaseRecord): string[] {
  const ranked = winners.toSorted((a, b) => (a.gain > b.gain ? -1 : a.gain < b.gain ? 1 : a.section - b.section));
  return ranked.slice(0, MAX_UNITED).map(({ node }) => node);
}

function nameOf(nodes: readonly string[]): string {
  return nodes.join('+');
}

function withOne<T>(list: readonly T[], entry: T): T[] {
  return list.includes(entry) ? [...list] : [...list, entry];
}
