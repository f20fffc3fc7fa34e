import { isCancellation } from '@temporalio/workflow';
import type { StageName } from '../domain/ids.ts';
import type { Counterpart } from '../domain/journal.ts';
import { blame } from '../strategies/pipeline-chain.ts';
import { note } from './apply.ts';
import { evaluateBase } from './item-work.ts';
import { isPatched } from './patches.ts';
import type { ChainLink } from './stage-input.ts';
import type { StageRuntime } from './stage-runtime.ts';

/**
 * The stages of a run are a chain: each works on what the one before handed on. Where the node that a stage was
 * given fails on its datasets and nothing repairs it, an earlier stage broke it. The nodes of the chain are
 * evaluated as this stage evaluates its own, all else the same; the earliest that fails is to blame, and stands in
 * the journal beside what it was made from.
 */
export async function enterBlame(runtime: StageRuntime): Promise<void> {
  const { input, state, steering } = runtime;
  const chain = links(input.chain);
  const isBroken = state.journal.base?.status === 'buggy' && state.outcomes.good === 0 && steering.stop === null;
  if (!isBroken || chain.length === 0 || !isPatched('blameStage')) return;
  try {
    const sides: Side[] = [];
    for (const link of chain) sides.push(await sideOf(runtime, link));
    const name = blame(
      chain.map(({ stage }) => stage),
      new Map(sides.map(({ stage, counterpart }) => [stage, counterpart.metric !== null])),
    );
    const at = sides.findIndex(({ stage }) => stage === name);
    const blamed = sides[at];
    if (blamed === undefined) return;
    const old = sides[at - 1]?.counterpart ?? null;
    await note(runtime, { kind: 'blamed', blamed: blamed.stage, old, made: blamed.counterpart });
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}

/** A stage that handed on what it was given changed nothing, and is no link. */
function links(chain: readonly ChainLink[]): ChainLink[] {
  return chain.filter(({ node }, index) => node.experiment !== chain[index - 1]?.node.experiment);
}

interface Side {
  readonly stage: StageName;
  readonly counterpart: Counterpart;
}

async function sideOf({ plan, pool, definition }: StageRuntime, { stage, node }: ChainLink): Promise<Side> {
  const context = { plan, pool, title: `blame ${node.id}`, doing: () => undefined };
  const outcome = await evaluateBase(context, definition, node);
  if (outcome.kind !== 'base') throw new TypeError(`a base became a ${outcome.kind}`);
  const metric = outcome.node.status === 'good' ? outcome.node.metric : null;
  return { stage, counterpart: { node: node.id, metric, evaluations: outcome.evaluations } };
}
