import { z } from 'zod';
import { PlatformFailure } from './failure.ts';
import { NodeId, Ref, RunId, StageName } from './ids.ts';
import type { JournalEvent } from './journal.ts';
import { BuggyNode, GoodNode, type Node } from './node.ts';

/**
 * Forks: a new run that starts from a node of another one instead of from nothing.
 *
 * F1 The carried node keeps its id and the new run numbers on after it, so ids stay unique in the new run.
 * F2 What the new run needs of the old one (task, experiment, files) is copied before it begins; it never looks
 *    into the old run again.
 */

/** What a fork is asked for with, in the input of `research`. */
export const ForkRequest = z.strictObject({
  run: RunId,
  node: NodeId,
  /** The stage to begin with; without it, {@link forkStart} says. */
  stage: StageName.exactOptional(),
});
export type ForkRequest = z.infer<typeof ForkRequest>;

/** A node that a stage can start from: good or buggy, with an experiment. */
export const CarriedNode = z.discriminatedUnion('status', [GoodNode, z.strictObject({ ...BuggyNode.shape, experiment: Ref })]);
export type CarriedNode = z.infer<typeof CarriedNode>;

/** Where a run begins that does not begin with the first stage and nothing. */
export const RunStart = z.strictObject({ stage: StageName, node: CarriedNode });
export type RunStart = z.infer<typeof RunStart>;

/** Where a run came from, as `run.json` keeps it. */
export const ForkedFrom = z.strictObject({ run: RunId, node: NodeId, stage: StageName });
export type ForkedFrom = z.infer<typeof ForkedFrom>;

/**
 * Where a fork begins: with the stage that made the node, or with stage 2 for a good node of stage 1, whose
 * work is done.
 *
 * @param events the journal of the run that is forked, as far as it goes
 * @throws PlatformFailure `ConfigInvalid` for a node that is not there, or that has no experiment
 */
export function forkStart(events: readonly JournalEvent[], request: ForkRequest): RunStart {
  const node = nodeToRun(events, request.run, request.node);
  return { stage: request.stage ?? usualStage(node), node };
}

/**
 * A node of a run that can be run again: {@link recordedNode}, with an experiment.
 *
 * @throws PlatformFailure `ConfigInvalid` for a node that is not there, or that has no experiment
 */
export function nodeToRun(events: readonly JournalEvent[], run: RunId, id: NodeId): CarriedNode {
  const node = recordedNode(events, run, id);
  if (node.status === 'good' || node.experiment !== null) return CarriedNode.parse(node);
  throw new PlatformFailure(
    'ConfigInvalid',
    `${id} of run ${run} has no experiment: it failed before one was made (${node.reason})`,
    `Take ${node.parent === null ? 'another node' : `its parent ${node.parent}`} instead; scientist journal ${run} lists them.`,
  );
}

/**
 * A node of a run as the stage that made it recorded it; in a run that was forked, as its first stage did.
 *
 * @throws PlatformFailure `ConfigInvalid` when the journal has no such node
 */
export function recordedNode(events: readonly JournalEvent[], run: RunId, id: NodeId): Node {
  const made = events.find((event) => event.kind === 'node' && event.node.id === id);
  const carried = events.find((event) => event.kind === 'base' && event.node.id === id);
  const found = made ?? carried;
  if (found?.kind === 'node' || found?.kind === 'base') return found.node;
  const ids = new Set(events.flatMap((event) => (event.kind === 'node' || event.kind === 'base' ? [event.node.id] : [])));
  const there = ids.size === 0 ? 'it has no node yet' : `it has ${idList([...ids])}`;
  throw new PlatformFailure(
    'ConfigInvalid',
    `run ${run} has no node ${id}: ${there}`,
    `See what they are with: scientist journal ${run}`,
  );
}

/** Where a run came from, in words: `forked from n17 of run digits-1`. */
export function forkText({ run, node }: ForkedFrom): string {
  return `forked from ${node} of run ${run}`;
}

function usualStage({ status, stage }: Node): StageName {
  return status === 'good' && stage === 'initial_implementation' ? 'baseline_tuning' : stage;
}

function idList(ids: readonly NodeId[]): string {
  return ids.length <= 12 ? ids.join(', ') : `${ids.length} nodes from ${ids[0] ?? ''} to ${ids.at(-1) ?? ''}`;
}
