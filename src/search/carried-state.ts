import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import { NodeId } from '../domain/ids.ts';
import { bestRecords, type StageJournal } from '../domain/journal.ts';
import type { Direction } from '../domain/metric.ts';
import { GoodNode, Node, stageNode } from '../domain/node.ts';
import { CarriedNodes, packedNodes, unpackedNodes } from './carried-nodes.ts';
import { PlainState, type StageState } from './stage-state.ts';
import { CarriedTally, packedTally, unpackedTally } from './carried-tally.ts';
import { tallyOf } from './tally.ts';

/**
 * The state of a stage as continue-as-new carries it. It must stay far below the largest payload of the server
 * for ten thousand nodes, so nodes and counts are packed; all else is carried as it is. Reading back what was
 * written gives a state that decides the same.
 */

const replicas = z.record(NodeId, z.record(z.string(), z.number().nullable()).readonly()).readonly();
const common = { base: Node.nullable(), replicas, plotted: z.array(NodeId).readonly() };

/** As this release writes it. */
const Packed = z.strictObject({
  v: z.literal(2),
  ...PlainState.shape,
  journal: z.strictObject({ ...common, nodes: CarriedNodes, records: z.array(GoodNode).readonly() }),
  tried: CarriedTally,
  drops: CarriedTally,
});

const counts = z.record(z.string(), z.number().int().min(1));

/** As 0.1.0 wrote it: all records, all counts by name, and no direction. */
const Plain = z.strictObject({
  v: z.literal(1),
  ...PlainState.omit({ direction: true }).shape,
  journal: z.strictObject({ ...common, nodes: z.array(Node) }),
  tried: counts,
  drops: counts,
});

/** A carried state of this release or an earlier one. */
export const CarriedState = z.discriminatedUnion('v', [Packed, Plain]);
export type CarriedState = z.infer<typeof CarriedState>;

/** Largest state that continue-as-new may carry; the server refuses 2 MiB, which would hang the stage for ever. */
const MAX_STATE_CHARACTERS = 1_500_000;

/**
 * The state as it is carried.
 *
 * @throws PlatformFailure `StateTooLarge`
 */
export function carriedState(state: StageState): CarriedState {
  const { journal, tried, drops, ...plain } = state;
  const carried: CarriedState = {
    v: 2,
    ...plain,
    journal: { ...journal, nodes: packedNodes(journal.nodes) },
    tried: packedTally(tried),
    drops: packedTally(drops),
  };
  const size = JSON.stringify(carried).length;
  if (size <= MAX_STATE_CHARACTERS) return carried;
  throw new PlatformFailure(
    'StateTooLarge',
    `the stage's journal of ${journal.nodes.length} nodes takes ${size} characters, ${MAX_STATE_CHARACTERS} may be carried on`,
    'lower stageN_max_iters; what was done is in the run’s folder',
  );
}

/** The state that was carried; `direction` is the run's. */
export function resumedState(carried: CarriedState, direction: Direction): StageState {
  if (carried.v === 1) return fromFirst(carried, direction);
  const { journal, tried, drops } = carried;
  return {
    ...plainOf(carried),
    journal: { ...journal, nodes: unpackedNodes(journal.nodes) },
    tried: unpackedTally(tried),
    drops: unpackedTally(drops),
  };
}

function fromFirst(carried: z.infer<typeof Plain>, direction: Direction): StageState {
  const { journal, tried, drops } = carried;
  const kept: StageJournal = {
    ...journal,
    nodes: journal.nodes.map(stageNode),
    records: bestRecords(journal.nodes, direction),
  };
  return {
    ...plainOf({ ...carried, direction }),
    journal: kept,
    tried: tallyOf(Object.entries(tried)),
    drops: tallyOf(Object.entries(drops)),
  };
}

/** What is carried as it is. */
function plainOf(carried: PlainState): PlainState {
  return z.object(PlainState.shape).parse(carried);
}
