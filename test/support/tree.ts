import type { EvaluationRecord } from '../../src/domain/evaluation.ts';
import { EvaluationRecord as EvaluationRecordSchema } from '../../src/domain/evaluation.ts';
import type { DropReason, FailureReason } from '../../src/domain/failure.ts';
import { nodeId, Ref, type NodeId, type StageName } from '../../src/domain/ids.ts';
import { nodeItem, type Item, type NodeItem, type Operator } from '../../src/domain/item.ts';
import { emptyJournal, nextDebugDepth, type StageJournal } from '../../src/domain/journal.ts';
import { Node } from '../../src/domain/node.ts';
import type { ItemOutcome } from '../../src/search/outcome.ts';
import type { PolicyInput } from '../../src/search/policy.ts';
import { tallyOf } from '../../src/search/tally.ts';
import { noWishes } from '../../src/search/wishes.ts';
import { nodeItems, workKey, workKeyOf } from '../../src/search/work.ts';
import { stageDefinition, testPlan } from './plan.ts';

/** Small trees, and what the search decides from, for tests of the core. */

/** A node as a test describes it; without `metric` it is buggy. */
export interface Sketch {
  readonly id: number;
  readonly parent?: number;
  /** `draft` for a root and `improve` for any other, when it is not said. */
  readonly operator?: Operator;
  readonly target?: string;
  readonly metric?: number;
  readonly reason?: FailureReason;
  readonly stage?: StageName;
  readonly label?: string;
}

/** A journal with these nodes in this order; work is counted and debug depths are derived as in a real one. */
export function tree(sketches: readonly Sketch[], change: Partial<StageJournal> = {}): StageJournal {
  const journal = { ...emptyJournal(), ...change };
  const known = new Map(journal.base === null ? [] : [[journal.base.id, journal.base]]);
  const seen = new Map<string, number>();
  const nodes = sketches.map((sketch) => {
    const parent = parentOf(sketch);
    const key = workKey(operatorOf(sketch), parent, sketch.target ?? null);
    const ordinal = seen.get(key) ?? 0;
    const node = sketchedNode(sketch, { parent: parent === null ? undefined : known.get(parent), ordinal });
    known.set(node.id, node);
    seen.set(key, ordinal + 1);
    return node;
  });
  return { ...journal, nodes };
}

/** A node alone, as a base or for a list. */
export function sketchedNode(sketch: Sketch, place: { parent?: Node | undefined; ordinal?: number } = {}): Node {
  const { id, metric, reason = 'exception', stage = 'initial_implementation', label = 'family', target = null } = sketch;
  const operator = operatorOf(sketch);
  const core = {
    id: nodeId(id),
    stage,
    operator,
    parent: parentOf(sketch),
    item: nodeItem(operator, parentOf(sketch), target, place.ordinal ?? 0).id,
    label,
    changed: target === null ? [] : [target],
    debugDepth: nextDebugDepth(operator, place.parent),
    experiment: refOf(id),
  };
  return Node.parse(
    metric === undefined
      ? { status: 'buggy', ...core, reason, message: 'it failed' }
      : { status: 'good', ...core, metric, scores: { a: metric } },
  );
}

/** The ref under which tests file the experiment of a node. */
export function refOf(id: number): Ref {
  return Ref.parse(id.toString(16).padStart(32, '0'));
}

/** What a test changes of a policy's input; counts follow from the tree and what is in flight. */
export interface InputChange extends Partial<Omit<PolicyInput, 'plan' | 'tried'>> {
  /** How often each work was given out. */
  readonly tried?: Readonly<Record<string, number>>;
  readonly search?: Partial<PolicyInput['plan']['search']>;
  readonly seed?: number;
  readonly direction?: 'maximize' | 'minimize';
}

/** What a policy decides from, with consistent counts: what is in the tree or in flight was given out. */
export function policyInput(change: InputChange = {}): PolicyInput {
  const { search, seed, direction, tried, ...rest } = change;
  const plan = testPlan();
  const journal = change.journal ?? emptyJournal();
  const inFlight = change.inFlight ?? [];
  return {
    plan: {
      ...plan,
      seed: seed ?? plan.seed,
      search: { ...plan.search, ...search },
      metric: { ...plan.metric, direction: direction ?? plan.metric.direction },
    },
    stage: stageDefinition('initial_implementation'),
    journal,
    inFlight,
    tried: tallyOf(Object.entries(tried ?? triedIn(journal, inFlight))),
    exhausted: [],
    dispatched: journal.nodes.length + nodeItems(inFlight).length,
    activeKeys: plan.components.map(({ key }) => key),
    wishes: noWishes(),
    ...rest,
  };
}

/** A node's outcome: good with this metric, or buggy. */
export function nodeOutcome(node: Node): ItemOutcome {
  return { kind: 'node', node, plan: 'try it', evaluations: [] };
}

/** The outcome of an item that made no node. */
export function droppedOutcome(item: Item, reason: DropReason): ItemOutcome {
  return { kind: 'dropped', item: item.id, reason, message: 'it was not needed' };
}

/** An evaluation with this value; failed with a reason when it is one. */
export function evaluation(dataset: string, value: number | null | FailureReason): EvaluationRecord {
  const core = { attempt: '1.1', device: 'cpu0', durationMs: 5, peakMemoryMiB: 10, figures: 0, cached: false };
  const evaluationId = refOf(99);
  const result =
    typeof value === 'string'
      ? {
          status: 'failed',
          reason: value,
          message: `it was ${value}`,
          exitCode: 1,
          signal: null,
          evaluation: evaluationId,
          ...core,
        }
      : { status: 'finished', value, evaluation: evaluationId, ...core };
  return EvaluationRecordSchema.parse({ dataset, seed: 1, result });
}

/** The item that a node of a test's tree was made from. */
export function itemOf(node: Pick<Node, 'operator' | 'parent' | 'item'>): NodeItem {
  const ordinal = Number(node.item.split('#')[1]);
  const words = node.item.split('#')[0]?.split(':') ?? [];
  const target = words[node.parent === null ? 1 : 2] ?? null;
  return nodeItem(node.operator, node.parent, target, ordinal);
}

/** The ids of items, which say all that they are. */
export function idsOf(items: readonly Item[]): string[] {
  return items.map(({ id }) => id);
}

function triedIn(journal: StageJournal, inFlight: readonly Item[]): Record<string, number> {
  const given = [...journal.nodes.map((node) => itemOf(Node.parse(node))), ...nodeItems(inFlight)].map(workKeyOf);
  const tried: Record<string, number> = {};
  for (const key of given) tried[key] = (tried[key] ?? 0) + 1;
  return tried;
}

function operatorOf({ operator, parent }: Sketch): Operator {
  return operator ?? (parent === undefined ? 'draft' : 'improve');
}

function parentOf({ parent }: Sketch): NodeId | null {
  return parent === undefined ? null : nodeId(parent);
}
