import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import type { NodeId } from '../domain/ids.ts';
import type { NodeItem } from '../domain/item.ts';
import { MESSAGES } from '../domain/messages.ts';
import {
  AddItemPayload,
  because,
  CancelNodePayload,
  PinNodePayload,
  PruneNodePayload,
  StrategyChoice,
} from '../domain/steering.ts';
import { subtreeOf } from '../search/pruning.ts';
import { whyNotAdd, whyNotPin, whyNotPrune, type SteeredStage } from '../search/steering.ts';
import { withAdded } from '../search/wishes.ts';
import { bindStrategy, checkStrategy } from '../strategies/registry.ts';
import { pruneNode } from './apply.ts';
import { onUpdate } from './handlers.ts';
import { stageInForce, type Running, type StageRuntime } from './stage-runtime.ts';
import { showDetails } from './visibility.ts';

/** What can be refused to a person who steers a stage: updates about single nodes, items and the strategy. */
export function handleStageUpdates(runtime: StageRuntime): void {
  handleNodeUpdates(runtime);
  onUpdate(
    {
      name: MESSAGES.addItem,
      description: 'work to be given out first: {"operator": "tune", "parent": "n3", "target": "model.depth"}',
      whyNot: (work) => whyNotAdd(steered(runtime), work),
    },
    AddItemPayload,
    (work) => {
      runtime.state = { ...runtime.state, wishes: withAdded(runtime.state.wishes, work) };
      const { operator, parent, target } = work;
      told(runtime, `added: ${operator}${parent === null ? '' : ` of ${parent}`}${target === null ? '' : `, ${target}`}`);
      return work;
    },
  );
  onUpdate(
    {
      name: MESSAGES.setStrategy,
      description: 'another strategy from the next plan on: {"name": "<one of scientist strategies>", "options": {}}',
      whyNot: (choice) => whyNotStrategy(runtime, choice),
    },
    StrategyChoice,
    (choice) => {
      const strategy = bindStrategy(choice.name, choice.options);
      runtime.strategy = strategy;
      const { state } = runtime;
      runtime.state = { ...state, strategy: z.json().parse(strategy.initial()), wishes: { ...state.wishes, strategy: choice } };
      told(runtime, `strategy set to ${choice.name} ${JSON.stringify(choice.options)}`);
      return choice;
    },
  );
}

function handleNodeUpdates(runtime: StageRuntime): void {
  onUpdate(
    {
      name: MESSAGES.cancelNode,
      description: 'end a node that is being made: {"node": "n7"}',
      whyNot: ({ node }) => whyNotCancel(runtime, node),
    },
    CancelNodePayload,
    ({ node, reason }) => {
      for (const running of runtime.running.values()) if (makes(running, node)) running.scope.cancel();
      told(runtime, because(`${node} cancelled`, reason));
      return { node };
    },
  );
  onUpdate(
    {
      name: MESSAGES.pinNode,
      description: 'build on this node as if it were the best: {"node": "n7"}; {"node": null} ends it',
      whyNot: ({ node }) => (node === null ? null : whyNotPin(steered(runtime), node)),
    },
    PinNodePayload,
    ({ node }) => {
      runtime.state = { ...runtime.state, wishes: { ...runtime.state.wishes, pinned: node } };
      told(runtime, node === null ? 'no node is pinned any more' : `${node} pinned`);
      return { node };
    },
  );
  onUpdate(
    {
      name: MESSAGES.pruneNode,
      description: 'no further work on this node and what descends from it: {"node": "n7"}',
      whyNot: ({ node }) => whyNotPrune(steered(runtime), node),
    },
    PruneNodePayload,
    ({ node, reason }) => {
      prune(runtime, node);
      told(runtime, because(`${node} pruned`, reason), node);
      return { node };
    },
  );
}

/** Takes a subtree out of the search; what of it is in work is ended, and counts as pruned when it is done. */
function prune(runtime: StageRuntime, root: NodeId): void {
  const subtree = subtreeOf(runtime.state.journal, root);
  for (const running of [...runtime.running.values(), ...runtime.finished]) {
    const { item, node } = running;
    if (!subtree.has(node) && !(item.kind === 'node' && item.parent !== null && subtree.has(item.parent))) continue;
    running.ended = 'pruned';
    running.scope.cancel();
  }
  pruneNode(runtime, root);
}

/** Notes in the journal what a person did, and shows it. */
function told(runtime: StageRuntime, message: string, pruned?: NodeId): void {
  runtime.steering.notes.push(pruned === undefined ? { message } : { message, pruned });
  showDetails(runtime);
}

function makes({ node, item }: Running, wanted: NodeId): boolean {
  return node === wanted && item.kind === 'node';
}

function whyNotCancel(runtime: StageRuntime, node: NodeId): string | null {
  const running = [...runtime.running.values()];
  if (running.some((item) => makes(item, node))) return null;
  return `${node} is not being made; running: ${running.map((item) => item.node).join(', ') || 'nothing'}`;
}

function whyNotStrategy({ plan, definition }: StageRuntime, choice: StrategyChoice): string | null {
  try {
    checkStrategy(choice, definition.operator, plan);
    return null;
  } catch (error) {
    if (error instanceof PlatformFailure) return `${error.message}; ${error.fix}`;
    throw error;
  }
}

/** The stage as the core judges what is asked of it. */
function steered(runtime: StageRuntime): SteeredStage {
  const { state, plan, input, phase, steering } = runtime;
  const making = [...runtime.running.values(), ...runtime.finished].flatMap(({ node, item }) =>
    item.kind === 'node' ? [{ node, item: item satisfies NodeItem }] : [],
  );
  return {
    components: plan.components,
    stage: stageInForce(runtime),
    startsFrom: input.carried?.id ?? null,
    state,
    making,
    isSearching: (phase === 'opening' || phase === 'searching') && steering.stop === null,
  };
}
