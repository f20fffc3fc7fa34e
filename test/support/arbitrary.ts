import fc from 'fast-check';
import { Experiment } from '../../src/domain/experiment.ts';
import { FailureReason } from '../../src/domain/failure.ts';
import { STAGE_NAMES, type StageName } from '../../src/domain/ids.ts';
import { allNodes, type StageJournal } from '../../src/domain/journal.ts';
import type { ItemFacts } from '../../src/domain/item-facts.ts';
import { ScheduleKind } from '../../src/domain/run-plan.ts';
import type { CompletionRule } from '../../src/domain/stage.ts';
import type { Policy, PolicyInput } from '../../src/search/policy.ts';
import type { PlanInput } from '../../src/strategies/strategy.ts';
import { stageDefinition, testPlan } from './plan.ts';
import { NO_FACTS } from './strategy-input.ts';
import type { Fates, World } from './simulation.ts';
import { policyInput, sketchedNode, tree, type InputChange, type Sketch } from './tree.ts';

/** Random journals, inputs and stages, all of them such as a run could have. */

/** A finite number; never minus zero, which JSON does not know. */
export const metric: fc.Arbitrary<number> = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(1e308, -1e308, 5e-324),
  )
  .map((value) => (value === 0 ? 0 : value));

/** A metric or none. */
export const metricOrNone: fc.Arbitrary<number | null> = fc.oneof(
  { weight: 4, arbitrary: metric },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** A component key, names that every object has among them. */
export const componentKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('constructor', 'toString', 'valueOf', 'hasOwnProperty', '0', '10', '9', 'a', 'b', 'model.depth'),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}(\.[A-Za-z0-9_-]{1,8}){0,2}$/),
);

/** The value of a parameter. */
export const parameterValue = fc.oneof(fc.string({ maxLength: 20 }), metric, fc.boolean());

/** The content of a candidate. */
export const experiment: fc.Arbitrary<Experiment> = fc
  .record({
    parameters: fc.dictionary(componentKey, parameterValue, { maxKeys: 6 }),
    files: fc.dictionary(componentKey, fc.stringMatching(/^[0-9a-f]{32}$/), { maxKeys: 3 }),
  })
  .map((content) => Experiment.parse({ v: 1, ...content }));

/** What decides one node of a random journal. */
interface Step {
  readonly from: number;
  readonly isRoot: boolean;
  readonly metric: number | null;
  readonly reason: FailureReason;
  readonly target: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(1000),
  isRoot: fc.boolean(),
  metric: metricOrNone,
  reason: fc.oneof({ weight: 3, arbitrary: fc.constant<FailureReason>('exception') }, fc.constantFrom(...FailureReason.options)),
  target: fc.constantFrom('x', 'y', 'z'),
});

/** A journal of one stage: roots only where it starts from nothing, repairs of buggy nodes, work on good ones. */
export const journal: fc.Arbitrary<StageJournal> = fc
  .record({
    base: fc.option(fc.record({ value: metricOrNone })),
    operator: fc.constantFrom('improve', 'tune', 'ablate'),
    steps: fc.array(step, { maxLength: 25 }),
  })
  .map(({ base, operator, steps }) => {
    const carried =
      base === null ? null : sketchedNode({ id: 1, operator: 'draft', ...(base.value !== null && { metric: base.value }) });
    const grown: Sketch[] = [];
    const isGood = new Map(carried === null ? [] : [[1, carried.status === 'good']]);
    for (const [index, { from, isRoot, metric: value, reason, target }] of steps.entries()) {
      const id = index + 2;
      const ids = [...isGood.keys()];
      const parent = ids[from % Math.max(1, ids.length)];
      const worth = value === null ? { reason } : { metric: value };
      if (parent === undefined || (carried === null && isRoot)) grown.push({ id, operator: 'draft', ...worth });
      else if (isGood.get(parent) !== true) grown.push({ id, parent, operator: 'debug', ...worth });
      else grown.push({ id, parent, operator, ...(operator !== 'improve' && { target }), ...worth });
      isGood.set(id, value !== null);
    }
    return tree(grown, { base: carried });
  });

const PLAN = testPlan();
const search = fc.record({
  policy: fc.constant('best_first'),
  numDrafts: fc.integer({ min: 1, max: 5 }),
  debugProb: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  maxDebugDepth: fc.integer({ min: 0, max: 4 }),
  ablationPairs: fc.boolean(),
});
const direction = fc.constantFrom('maximize', 'minimize');
const stageName = fc.constantFrom(...STAGE_NAMES);
const seed = fc.nat(10_000);

/** What a policy decides from: any journal, some of its work in flight, some exhausted. */
export function policyInputs(policy: Policy): fc.Arbitrary<PolicyInput> {
  return fc
    .record({
      journal,
      search,
      direction,
      stageName,
      seed,
      maxNodes: fc.integer({ min: 0, max: 60 }),
      activeKeys: fc.subarray(['x', 'y', 'z']),
      flying: fc.nat(4),
      spent: fc.array(fc.nat(1000), { maxLength: 8 }),
    })
    .map(({ stageName: name, maxNodes, flying, spent, ...rest }) => {
      const works = allNodes(rest.journal).flatMap(({ id }) => [`improve:${id}:`, `debug:${id}:`, `tune:${id}:x`, 'draft::']);
      const exhausted = works.length === 0 ? [] : [...new Set(spent.map((at) => works[at % works.length] ?? ''))];
      const change: InputChange = { ...rest, stage: stageDefinition(name, { maxNodes }), exhausted };
      return policyInput({ ...change, inFlight: policy.backlog(policyInput(change), flying) });
    });
}

const fates = fc.oneof(
  fc.record({ good: fc.integer({ min: 1, max: 9 }), buggy: fc.nat(9), dropped: fc.nat(5), exhausted: fc.nat(1) }),
  fc.constantFrom(
    { good: 1, buggy: 0, dropped: 0, exhausted: 0 },
    { good: 0, buggy: 1, dropped: 0, exhausted: 0 },
    { good: 0, buggy: 0, dropped: 1, exhausted: 0 },
    { good: 0, buggy: 0, dropped: 0, exhausted: 1 },
    { good: 1, buggy: 0, dropped: 9, exhausted: 0 },
  ),
);
const rules: fc.Arbitrary<CompletionRule[]> = fc.constantFrom<CompletionRule[][]>(
  [],
  [{ rule: 'good_nodes', min: 1 }],
  [{ rule: 'good_nodes', min: 4 }],
  [{ rule: 'patience', nodes: 3 }],
  [
    { rule: 'target', value: 0 },
    { rule: 'patience', nodes: 3 },
  ],
  [
    { rule: 'patience', nodes: 5 },
    { rule: 'good_nodes', min: 2 },
  ],
);

/** What is fixed of a stage to simulate. */
interface Fixed {
  readonly stageName?: StageName;
  readonly fates?: Fates;
  readonly rules?: CompletionRule[];
  readonly schedule?: ScheduleKind;
}

/** A stage to simulate, of any kind unless one is named, by either schedule, with any luck. */
export function worlds(fixed: Fixed = {}): fc.Arbitrary<World> {
  return fc
    .record({
      stageName: fixed.stageName === undefined ? stageName : fc.constant(fixed.stageName),
      search,
      direction,
      rules: fixed.rules === undefined ? rules : fc.constant(fixed.rules),
      fates: fixed.fates === undefined ? fates : fc.constant(fixed.fates),
      seed,
      luck: seed,
      schedule: fixed.schedule === undefined ? fc.constantFrom(...ScheduleKind.options) : fc.constant(fixed.schedule),
      numWorkers: fc.integer({ min: 1, max: 6 }),
      maxNodes: fc.integer({ min: 0, max: 25 }),
      numSeeds: fc.nat(3),
      scope: fc.constantFrom('best', 'node'),
      plots: fc.boolean(),
      isBaseGood: fc.integer({ min: 0, max: 4 }).map((at) => at > 0),
    })
    .map((drawn) => {
      const { numSeeds, scope, schedule, numWorkers, isBaseGood } = drawn;
      const plan = {
        ...PLAN,
        search: drawn.search,
        seed: drawn.seed,
        metric: { ...PLAN.metric, direction: drawn.direction },
        replication: { numSeeds, scope },
        schedule,
        numWorkers,
      };
      const startsFresh = drawn.stageName === 'initial_implementation';
      return {
        plan,
        stage: stageDefinition(drawn.stageName, { maxNodes: drawn.maxNodes, rules: drawn.rules, plots: drawn.plots }),
        base: startsFresh ? null : sketchedNode({ id: 1, operator: 'draft', ...(isBaseGood && { metric: 0.5 }) }),
        fates: drawn.fates,
        luck: drawn.luck,
      };
    });
}

/** What an item is about. */
export const itemFacts: fc.Arbitrary<ItemFacts> = fc.record({
  operator: fc.constantFrom('draft', 'debug', 'improve', 'tune', 'ablate', 'merge', 'replicate', 'plot'),
  parent: fc.option(fc.constantFrom('n1', 'n7', 'n30')),
  target: fc.option(componentKey),
  family: fc.option(fc.constantFrom('forest', 'boosting', '')),
  component_group: fc.option(fc.constantFrom('model', 'data')),
});

/** What a strategy plans from, as a run's first plan or in the middle of an asynchronous one. */
export const planInput: fc.Arbitrary<PlanInput> = fc
  .record({
    facts: fc.array(itemFacts, { minLength: 1, maxLength: 5 }),
    components: fc.uniqueArray(componentKey, { maxLength: 6 }),
    nWorkers: fc.integer({ min: 1, max: 8 }),
    isBarrier: fc.boolean(),
    busy: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    rounds: fc.array(fc.nat(50), { minLength: 8, maxLength: 8 }),
    count: fc.nat(20),
    stillOffered: fc.boolean(),
    // Whether targets are components that may change, and whether all items start from one node.
    isTargeted: fc.boolean(),
    hasOneParent: fc.boolean(),
  })
  .map(({ nWorkers, isBarrier, busy, rounds, count, stillOffered, facts, components, isTargeted, hasOneParent }) => {
    const workers = Array.from({ length: nWorkers }, (_, worker) => worker);
    const working = isBarrier ? [] : workers.filter((worker) => busy[worker]);
    const inFlight = working.map((worker) => `improve:n${worker + 1}#0`);
    const fresh = Array.from({ length: count }, (_, index) => `tune:n${index + 1}:${['x', 'y', 'z'][index % 3] ?? ''}#${index}`);
    const keys = stillOffered ? [...inFlight, ...fresh] : fresh;
    return {
      nWorkers,
      free: workers.filter((worker) => !working.includes(worker)),
      roundOf: rounds.slice(0, nWorkers),
      keys,
      inFlight,
      facts: Object.fromEntries(
        keys.map((key, index) => {
          const about = facts[index % facts.length] ?? NO_FACTS;
          const target = isTargeted && about.target !== null ? (components[index % components.length] ?? null) : about.target;
          return [key, { ...about, target, parent: hasOneParent ? 'n7' : about.parent }];
        }),
      ),
      components,
    };
  });
