import type { NodeId } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import { bestNode } from '../domain/journal.ts';
import type { GoodNode } from '../domain/node.ts';
import { randomStream } from '../domain/random.ts';
import type { PolicyInput } from './policy.ts';
import { workKey } from './work.ts';

/** Work on one component: the node to start from and the key it is about. */
interface TargetedWork {
  readonly parent: NodeId;
  readonly target: string;
}

/**
 * The next tuning: on the best node so far, the key that was tuned least in this stage; equals in a
 * seeded order. A key that another worker has is taken only when no other is left.
 */
export function nextTuning(input: PolicyInput, busy: readonly NodeItem[]): TargetedWork | null {
  const best = bestNode(input.journal, input.plan.metric.direction);
  if (best === undefined) return null;
  const keys = activeComponents(input, 'tunable').filter((key) => !input.exhausted.includes(workKey('tune', best.id, key)));
  const order = randomStream(input.plan.seed, `${input.stage.name}/keys`).shuffle(keys);
  const taken = busy.map((item) => item.target);
  const effort = (key: string): number => triesOfKey(input, key) + 1000 * taken.filter((target) => target === key).length;
  const target = order.reduce<string | null>((least, key) => (least === null || effort(key) < effort(least) ? key : least), null);
  return target === null ? null : { parent: best.id, target };
}

/** The next ablation: of the stage's base, each component once in the task's order, then pairs if wanted. */
export function nextAblation(input: PolicyInput, busy: readonly NodeItem[]): TargetedWork | null {
  const base = ablationBase(input);
  if (base === undefined) return null;
  const keys = activeComponents(input, 'ablatable');
  const targets = input.plan.search.ablationPairs ? [...keys, ...pairs(keys)] : keys;
  const isOpen = (target: string): boolean =>
    input.tried[workKey('ablate', base.id, target)] === undefined && !busy.some((item) => item.target === target);
  const target = targets.find(isOpen);
  return target === undefined ? null : { parent: base.id, target };
}

/** The stage's base; its first good repair when it fails on the stage's datasets. */
function ablationBase({ journal }: PolicyInput): GoodNode | undefined {
  if (journal.base?.status === 'good') return journal.base;
  return journal.nodes.find((node): node is GoodNode => node.status === 'good' && node.operator === 'debug');
}

function activeComponents(input: PolicyInput, property: 'tunable' | 'ablatable'): string[] {
  return input.plan.components
    .filter((component) => component[property] && input.activeKeys.includes(component.key))
    .map(({ key }) => key);
}

function triesOfKey(input: PolicyInput, key: string): number {
  return Object.entries(input.tried).reduce(
    (sum, [work, times]) => (work.startsWith('tune:') && work.endsWith(`:${key}`) ? sum + times : sum),
    0,
  );
}

function pairs(keys: readonly string[]): string[] {
  return keys.flatMap((first, index) => keys.slice(index + 1).map((second) => `${first}+${second}`));
}
