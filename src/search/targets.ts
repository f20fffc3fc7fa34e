import type { NodeId } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import { bestNode, firstRepair } from '../domain/journal.ts';
import type { GoodStageNode } from '../domain/node.ts';
import { randomStream } from '../domain/random.ts';
import type { PolicyInput } from './policy.ts';
import { pinnedNode } from './wishes.ts';
import { timesOf, timesOfKind } from './tally.ts';
import { workKey, workSet } from './work.ts';

/** Work on one component: the node to start from and the key it is about. */
interface TargetedWork {
  readonly parent: NodeId;
  readonly target: string;
}

/**
 * The next tuning, on the node that a person pinned, else, and where nothing is left to tune there, on the best
 * one so far.
 */
export function nextTuning(input: PolicyInput, busy: readonly NodeItem[]): TargetedWork | null {
  const { journal, wishes } = input;
  const pinned = pinnedNode(journal, wishes);
  const best = bestNode(journal, input.plan.metric.direction);
  return (
    (pinned === undefined ? null : tuningOf(input, pinned.id, busy)) ??
    (best === undefined ? null : tuningOf(input, best.id, busy))
  );
}

/**
 * The key that was tuned least in this stage; equals in a seeded order. A key that another worker has is taken
 * only when no other is left.
 */
function tuningOf(input: PolicyInput, parent: NodeId, busy: readonly NodeItem[]): TargetedWork | null {
  const exhausted = workSet(input.exhausted);
  const keys = activeComponents(input, 'tunable').filter((key) => !exhausted.has(workKey('tune', parent, key)));
  const order = randomStream(input.plan.seed, `${input.stage.name}/keys`).shuffle(keys);
  const taken = busy.map((item) => item.target);
  const effort = (key: string): number =>
    timesOfKind(input.tried, `tune:${key}`) + 1000 * taken.filter((target) => target === key).length;
  const target = order.reduce<string | null>((least, key) => (least === null || effort(key) < effort(least) ? key : least), null);
  return target === null ? null : { parent, target };
}

/** The next ablation: of the stage's base, each component once in the task's order, then pairs if wanted. */
export function nextAblation(input: PolicyInput, busy: readonly NodeItem[]): TargetedWork | null {
  const base = ablationBase(input);
  if (base === undefined) return null;
  const keys = activeComponents(input, 'ablatable');
  const targets = input.plan.search.ablationPairs ? [...keys, ...pairs(keys)] : keys;
  const isOpen = (target: string): boolean =>
    timesOf(input.tried, workKey('ablate', base.id, target)) === 0 && !busy.some((item) => item.target === target);
  const target = targets.find(isOpen);
  return target === undefined ? null : { parent: base.id, target };
}

/** The stage's base; its first good repair when it fails on the stage's datasets. */
function ablationBase({ journal }: PolicyInput): GoodStageNode | undefined {
  return journal.base?.status === 'good' ? journal.base : firstRepair(journal);
}

function activeComponents(input: PolicyInput, property: 'tunable' | 'ablatable'): string[] {
  return input.plan.components
    .filter((component) => component[property] && input.activeKeys.includes(component.key))
    .map(({ key }) => key);
}

function pairs(keys: readonly string[]): string[] {
  return keys.flatMap((first, index) => keys.slice(index + 1).map((second) => `${first}+${second}`));
}
