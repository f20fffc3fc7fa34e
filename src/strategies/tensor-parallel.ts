import { z } from 'zod';
import { Subject } from '../domain/item-facts.ts';
import { divisionOf } from './sections/desk.ts';
import { sectionPlan } from './sections/plan.ts';
import { heldBase, SectionState, wantedUnions, withSeen } from './sections/record.ts';
import { defineStrategy, type Misfit, type StrategySetting } from './strategy.ts';

const Options = z.strictObject({
  sections: z.number().int().min(1).nullable().default(null).meta({
    description: 'parts of the component keys; null for as many as workers, and no more than keys',
  }),
  keys: z.array(z.string().min(1)).min(1).nullable().default(null).meta({
    description: 'the component keys to divide; null for all that may change',
  }),
  partition: z.enum(['balanced', 'hash']).default('balanced').meta({
    description: 'sections of equal size, or buckets of a hash, which a new component does not shift',
  }),
  route: Subject.nullable().default(null).meta({
    description: 'by what an item finds the section that owns it: target for tuning; null to give any item to any section',
  }),
  unrouted: z.enum(['any', 'drop']).default('any').meta({
    description: 'what becomes of an item that no section owns: any worker may have it, or nobody',
  }),
  rotate: z.boolean().default(false).meta({ description: 'whether a worker has another section in each round' }),
  hold: z.boolean().default(false).meta({
    description: 'whether a node is worked on until all its keys are, and only then the best one; for tuning',
  }),
  min_gain: z.number().min(0).default(0).meta({
    description: 'what a gain must exceed for the node to be united with others; set it to the noise that the report shows',
  }),
});
type Options = z.infer<typeof Options>;

/** Items of the backlog that each worker may choose from; a section is wanted of them, so more than elsewhere. */
const ITEMS_PER_WORKER = 8;

/**
 * Tensor parallel: the component keys are divided into sections, each worker edits the keys of its section only, all
 * from one node, and the best edits of several sections are then united in one node, evaluated like any other.
 *
 * Where it differs from the reference, on purpose: workers of one section get distinct items; all work in sections
 * starts from one node; only edits that gained are united; a worker whose section has nothing left takes the next
 * one; sections without a worker are refused, or visited in turn with `rotate`; and what would leave everybody idle
 * goes out without a section.
 */
export const tensorParallel = defineStrategy(
  {
    name: 'tensor_parallel',
    about: 'component keys in sections, one a worker; what gained in several sections becomes one node',
    options: Options,
    operators: ['tune', 'improve'],
    misfit,
    lookahead: (free) => free * ITEMS_PER_WORKER,
    initial: () => ({ v: 1 as const, bases: [] }),
    plan: sectionPlan,
    observe: ({ min_gain: minGain }, state, unit, _itemId, outcome) => withSeen(state, unit, { outcome, minGain }),
    base: ({ hold }, state) => (hold ? heldBase(state) : null),
    merges: (_options, state) => wantedUnions(state),
  },
  SectionState,
);

function misfit(options: Options, { components, workers }: StrategySetting): Misfit | null {
  const unknown = options.keys?.find((key) => !components.includes(key));
  if (components.length === 0) return { what: 'the task has no component that may change', fix: MORE_COMPONENTS };
  if (unknown !== undefined)
    return { what: `${unknown} is no component that may change`, fix: `name some of: ${components.join(', ')}` };
  return divisionMisfit(options, new Set(options.keys ?? components), workers);
}

const OTHERWISE = 'or choose a strategy without sections: scientist strategies';
const MORE_COMPONENTS = `mark what may change as components in the task, two or more, ${OTHERWISE}`;

function divisionMisfit(options: Options, keys: ReadonlySet<string>, workers: number): Misfit | null {
  const [only] = keys;
  if (keys.size === 1) return { what: `there is only the key ${only ?? ''}, nothing to divide`, fix: MORE_COMPONENTS };
  const { sections } = options;
  if (sections !== null && sections > keys.size)
    return {
      what: `${sections} sections for ${keys.size} keys: ${sections - keys.size} would own nothing`,
      fix: `set sections to ${keys.size} or less, ${OTHERWISE}`,
    };
  const division = divisionOf(options, [...keys], workers);
  const empty = division.keys.filter((own) => own.length === 0).length;
  if (empty > 0)
    return {
      what: `the hash leaves ${empty} of ${division.count} sections without a key`,
      fix: `set partition to balanced, or use fewer sections, ${OTHERWISE}`,
    };
  if (options.rotate || workers >= division.count) return null;
  return {
    what: `${workers} workers for ${division.count} sections: ${division.count - workers} would never be worked on`,
    fix: `set rotate to true, use more workers, or set sections to ${workers} or less`,
  };
}
