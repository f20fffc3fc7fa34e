import { z } from 'zod';
import { hash64, pythonText, sectionOf } from '../../../src/strategies/sections/key-hash.ts';
import { ownerOf, unitedSections, type SectionEdit } from '../reference/section-merge.ts';
import { sectionLists } from '../../../src/strategies/sections/plan.ts';
import { keysBySection, ownersOf, sectionsOfWorkers, turnOf } from '../../../src/strategies/sections/partition.ts';
import { bindStrategy } from '../../../src/strategies/registry.ts';
import { NO_FACTS, planInputOf } from '../../support/strategy-input.ts';
import type { Runner } from './runner.ts';

const Count = z.number().int();
const Keys = z.array(z.string());
const HashedKey = z.union([
  z.strictObject({ key: z.string(), python_repr: z.string() }),
  z.strictObject({ key_int: z.string(), python_repr: z.string() }),
  z.strictObject({ key_tuple: z.array(z.union([z.string(), z.number()])), python_repr: z.string() }),
]);
const SectionsCall = z.strictObject({ keys: Keys, n_sections: Count });
const MapCall = z.strictObject({ keys_of_artifact: Keys, n_sections: Count });
const WorkersCall = z.strictObject({ worker_ids: Keys, n_sections: Count });
const PlanCall = z.strictObject({
  n_sections: Count,
  keys_of_artifact: Keys.nullable(),
  route: z.record(z.string(), z.string().nullable()).nullable(),
  n_workers: Count,
  round: Count,
  task_ids: Keys,
});
type PlanCall = z.infer<typeof PlanCall>;
const OwnerCall = z.strictObject({ n_sections: Count, declared: Keys, asked: Keys });
const MergeCall = z.strictObject({
  n_sections: Count,
  keys_of_artifact: Keys.nullable(),
  base: z.record(z.string(), z.string()),
  section_diffs: z.array(z.strictObject({ section: Count, diff_id: z.string(), ops: z.record(z.string(), z.string()) })),
});

/** Hashes, sections, tensor parallel plans and merges. */
export const SECTIONS: Readonly<Record<string, Runner>> = {
  hash: (input) => hashOf(HashedKey.parse(input)),
  section_of: (input) => {
    const { keys, n_sections: count } = SectionsCall.parse(input);
    return orNoSections('modulo by zero sections', () => keys.map((key) => sectionOf(key, count)));
  },
  assign_key_sections: (input) => {
    const { keys, n_sections: count } = SectionsCall.parse(input);
    return orNoSections('modulo by zero sections (only when there is at least one key)', () => {
      const owners = ownersOf(keys, count);
      return { map: [...owners], sizes: keysBySection(owners, count).map((own) => own.length) };
    });
  },
  assign_sections: (input) => {
    const { worker_ids: workers, n_sections: count } = WorkersCall.parse(input);
    return [...sectionsOfWorkers(workers, count)];
  },
  'TensorParallel.plan': (input) => {
    const call = PlanCall.parse(input);
    return orNoSections('modulo by zero sections', () => (isAsInProduct(call) ? productPlan(call) : referencePlan(call)));
  },
  'TensorParallel.section_map': (input) => {
    const { keys_of_artifact: keys, n_sections: count } = MapCall.parse(input);
    return [...ownersOf(keys, count)];
  },
  'TensorParallelMerge.merge': (input) => merged(MergeCall.parse(input)),
  'TensorParallelMerge.owner_of': (input) => {
    const { declared, asked, n_sections: count } = OwnerCall.parse(input);
    const of = (keys: readonly string[]) => asked.map((key) => ownerOf(key, { owners: ownersOf(keys, count), count }));
    return { with_declared_keys: of(declared), without_declared_keys: of([]) };
  },
};

/** The hash of a key; of a number or a tuple, by its own text. The text itself is checked as well. */
function hashOf(input: z.infer<typeof HashedKey>): unknown {
  const text = 'key' in input ? pythonText(input.key) : 'key_int' in input ? input.key_int : tupleText(input.key_tuple);
  if (text !== input.python_repr) return { text };
  const hash = hash64(text);
  const low31 = 'key' in input ? { low31: Number(hash & 0x7fff_ffffn) } : {};
  return { uint64_decimal: String(hash), hex: hash.toString(16).padStart(16, '0'), ...low31 };
}

function tupleText(parts: readonly (string | number)[]): string {
  return `(${parts.map((part) => (typeof part === 'string' ? pythonText(part) : String(part))).join(', ')})`;
}

/** Two workers of a section have the same list in the reference and share it here; and here there is no plan without keys. */
function isAsInProduct({ keys_of_artifact: keys, n_sections: sections, n_workers: workers, route }: PlanCall): boolean {
  return keys !== null && sections > 0 && (route === null || workers <= sections);
}

/** The product's plan; that it says which keys a section may change is more than the reference does. */
function productPlan(call: PlanCall): unknown {
  const strategy = bindStrategy('tensor_parallel', {
    sections: call.n_sections,
    keys: call.keys_of_artifact,
    route: call.route === null ? null : 'target',
    unrouted: 'drop',
  });
  const input = planInputOf({ nWorkers: call.n_workers, keys: call.task_ids, components: call.keys_of_artifact ?? [] });
  const facts = call.task_ids.map((id) => [id, { ...NO_FACTS, parent: 'n1', target: call.route?.[id] ?? null }] as const);
  const planned = strategy.plan(strategy.initial(), {
    ...input,
    facts: Object.fromEntries(facts),
    roundOf: input.free.map(() => call.round),
  });
  return planned.units.map(({ worker, keys, stage, section }) => ({ worker, keys, stage, section }));
}

/** The plan as the core has it, before items are made distinct. */
function referencePlan(call: PlanCall): unknown {
  const { n_sections: count, n_workers: nWorkers, task_ids: items, route: table } = call;
  const seats = Array.from({ length: Math.max(0, nWorkers) }, (_, worker) => ({ worker, section: turnOf(worker, count) }));
  const owners = ownersOf(call.keys_of_artifact ?? [], count);
  const route = table === null ? null : (item: string) => owners.get(table[item] ?? '') ?? null;
  const lists = sectionLists(items, seats, { nWorkers, roundOf: seats.map(() => call.round), route });
  return seats.map(({ worker, section }, at) => ({ worker, keys: lists[at] ?? [], stage: 0, section }));
}

function merged(call: z.infer<typeof MergeCall>): unknown {
  const { n_sections: count, section_diffs: diffs } = call;
  const edits: SectionEdit<string>[] = diffs.map(({ section, diff_id: id, ops }) => ({ id, section, changes: ops }));
  const result = unitedSections(call.base, edits, { owners: ownersOf(call.keys_of_artifact ?? [], count), count });
  if ('united' in result) return { state: result.united, consistent: true, version_steps: edits.length };
  return refusal(['SectionViolation', 'Exception'], 'some key of a diff is owned by another section than the one given with it');
}

/** Ours throws a `RangeError` where there is no section to choose from, in whose place the reference divides by zero. */
function orNoSections(condition: string, run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refusal(['ZeroDivisionError', 'ArithmeticError', 'Exception'], condition);
  }
}

function refusal(classes: readonly [string, ...string[]], condition: string): unknown {
  return { error: { class: classes[0], is_a: classes, condition } };
}
