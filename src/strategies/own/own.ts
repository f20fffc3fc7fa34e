import { z } from 'zod';
import { clip, oneLine, PlatformFailure } from '../../domain/failure.ts';
import { NodeId } from '../../domain/ids.ts';
import { Operator } from '../../domain/item.ts';
import { frozen, planProblems, stateProblem, throughJson } from './plan-rules.ts';
import type { BoundStrategy, PlanInput, StrategyEntry } from '../strategy.ts';

/**
 * A strategy that a user wrote: an object with the members of a strategy, or a plain function of three arguments.
 * It is trusted with nothing.
 *
 * O1 It is given frozen copies, so it cannot change the stage.
 * O2 Each of its answers is checked. What breaks the contract, or throws, is a `StrategyRefused` that says which of its
 *    members did what; never an error that would be tried again for ever.
 */

/** Runs a decision; may turn its failure into another. */
export type Guard = <T>(decide: () => T) => T;

/** An export of a user's module. */
export interface OwnExport {
  /** What the registry calls it. */
  readonly name: string;
  /** How errors call the module. */
  readonly where: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly exported: string;
}

type Member = (...args: readonly unknown[]) => unknown;

/** The members of a strategy, whichever form it was written in. */
interface Members {
  readonly about: string;
  readonly operators: readonly Operator[] | null;
  readonly initial: Member;
  readonly plan: Member;
  readonly lookahead: Member | null;
  readonly observe: Member | null;
  readonly merges: Member | null;
  readonly base: Member | null;
}

type MemberName = Exclude<keyof Members, 'about' | 'operators'>;

/** Items that each free worker sees where the strategy does not say; most plans for fewer workers than it leave none idle. */
const ITEMS_PER_WORKER = 8;
/** Items that it may want to see for each free worker. */
const MOST_ITEMS = 100;
const FIX = 'see docs/strategies.md; to find it: scientist strategies check FILE';

const Unit = z.object({
  worker: z.number().int().min(0),
  keys: z.array(z.string()),
  stage: z.number().int().min(0).default(0),
  section: z.number().int().min(0).nullable().default(null),
  mayChange: z.array(z.string()).nullable().exactOptional(),
});
const Units = z.array(Unit);
const Planned = z.object({ state: z.unknown(), units: Units });
const Merges = z.array(z.object({ base: NodeId, nodes: z.array(NodeId).min(2) }));
const Options = z.record(z.string(), z.json());

/**
 * The registry entry of a user's strategy.
 *
 * @throws PlatformFailure `StrategyRefused` that names the member which is missing or wrong
 */
export function ownEntry(own: OwnExport, guard: Guard = (decide) => decide()): StrategyEntry {
  const { name, where, exported } = own;
  const members = membersOf(own);
  return {
    name,
    about: members.about,
    options: Options,
    isFor: (operator) => members.operators?.includes(operator) ?? true,
    misfit: () => null,
    bind: (options) => bound(members, { name, where: `${where}, export ${exported}`, options: Options.parse(options), guard }),
  };
}

interface Binding {
  readonly name: string;
  readonly where: string;
  readonly options: unknown;
  readonly guard: Guard;
}

function bound(members: Members, binding: Binding): BoundStrategy {
  const { name, options, where, guard } = binding;
  const ask = <T>(member: MemberName, schema: z.ZodType<T>, args: readonly unknown[]): T =>
    answerOf({ where, member, schema }, () => members[member]?.(...args.map(frozen)));
  return {
    name,
    lookahead: (free) =>
      guard(() => {
        if (members.lookahead === null) return free * ITEMS_PER_WORKER;
        return ask(
          'lookahead',
          z
            .number()
            .int()
            .min(free)
            .max(MOST_ITEMS * Math.max(1, free)),
          [free],
        );
      }),
    initial: () => guard(() => carried(where, 'initial', ask('initial', z.unknown(), [options]))),
    plan: (state, input) =>
      guard(() => {
        const planned = ask('plan', Planned, [options, state, input]);
        const [problem] = planProblems(input, planned.units);
        if (problem !== undefined) throw refused(`${where}: its plan breaks the contract: ${problem}`);
        return { state: carried(where, 'plan', planned.state), units: planned.units };
      }),
    observe: (state, ...seen) =>
      guard(() => {
        if (members.observe === null) return state;
        return carried(where, 'observe', ask('observe', z.unknown(), [options, state, ...seen]));
      }),
    merges: (state) => guard(() => (members.merges === null ? [] : ask('merges', Merges, [options, state]))),
    base: (state) => guard(() => (members.base === null ? null : ask('base', NodeId.nullable(), [options, state]))),
  };
}

/** What a member gave, when it fits. */
function answerOf<T>({ where, member, schema }: { where: string; member: string; schema: z.ZodType<T> }, call: () => unknown): T {
  let answer: unknown;
  try {
    answer = call();
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    throw refused(`${where}: \`${member}\` threw ${String(error)}`, error);
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refused(`${where}: \`${member}\` gave what does not fit: ${[...(issue?.path ?? []), issue?.message].join(': ')}`);
}

/** A copy of a state that was checked; the strategy may still hold the original. */
function carried(where: string, member: string, state: unknown): unknown {
  const problem = stateProblem(state);
  if (problem !== null) throw refused(`${where}: \`${member}\`: ${problem}`);
  return throughJson(state);
}

function membersOf({ where, exports, exported }: OwnExport): Members {
  const value = Object.hasOwn(exports, exported) ? exports[exported] : undefined;
  const called = `${where}: export ${exported}`;
  if (isMember(value)) return functionMembers(value);
  if (value === undefined) {
    const names = Object.keys(exports).join(', ');
    throw refused(`${where} has no export ${exported}${names === '' ? '' : `; it exports: ${names}`}`);
  }
  if (typeof value !== 'object' || value === null)
    throw refused(`${called} is ${kindOf(value)}: expected an object or a function`);
  const need = (member: string): Member => {
    const found = optional(member);
    if (found === null) throw refused(`${called} has no \`${member}\`: expected a function`);
    return found;
  };
  const optional = (member: string): Member | null => {
    const found: unknown = Reflect.get(value, member);
    if (found === undefined) return null;
    if (!isMember(found)) throw refused(`${called} has a \`${member}\` that is ${kindOf(found)}: expected a function`);
    return (...args) => Reflect.apply(found, value, args);
  };
  textMember(called, value, 'name');
  return {
    about: textMember(called, value, 'about'),
    operators: operatorsOf(called, Reflect.get(value, 'operators')),
    initial: need('initial'),
    plan: need('plan'),
    lookahead: optional('lookahead'),
    observe: optional('observe'),
    merges: optional('merges'),
    base: optional('base'),
  };
}

function textMember(called: string, value: object, member: string): string {
  const found: unknown = Reflect.get(value, member);
  if (typeof found === 'string' && found !== '') return clip(oneLine(found), 200);
  const what = found === undefined ? `has no \`${member}\`` : `has a \`${member}\` that is ${kindOf(found)}`;
  throw refused(`${called} ${what}: expected a text`);
}

function operatorsOf(called: string, found: unknown): readonly Operator[] | null {
  if (found === undefined) return null;
  const parsed = z.array(Operator).min(1).safeParse(found);
  if (parsed.success) return parsed.data;
  throw refused(`${called} has \`operators\` that do not fit: expected a list of ${Operator.options.join(', ')}`);
}

/** A function of three arguments knows no state; what it gives to workers that are not free is left out. */
function functionMembers(split: Member): Members {
  const plan = (_options: unknown, state: unknown, input: PlanInput): { state: unknown; units: unknown } => {
    const open = input.keys.filter((key) => !input.inFlight.includes(key));
    const round = Math.min(...input.free.map((worker) => input.roundOf[worker] ?? 0));
    const units = input.free.length === 0 ? [] : split(input.nWorkers, round, frozen(open));
    const parsed = Units.safeParse(units);
    return { state, units: parsed.success ? parsed.data.filter(({ worker }) => input.free.includes(worker)) : units };
  };
  return {
    about: 'a function of the number of workers, the round and the keys',
    operators: null,
    initial: () => ({}),
    plan: plan as Member,
    lookahead: null,
    observe: null,
    merges: null,
    base: null,
  };
}

function isMember(value: unknown): value is Member {
  return typeof value === 'function';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value === '') return 'an empty text';
  return { string: 'a text', object: 'an object', function: 'a function' }[typeof value as string] ?? `a ${typeof value}`;
}

function refused(what: string, cause?: unknown): PlatformFailure {
  return new PlatformFailure('StrategyRefused', clip(oneLine(what), 500), FIX, cause === undefined ? {} : { cause });
}
