import { z } from 'zod';
import { nodeId, nodeNumber } from '../domain/ids.ts';
import { tallied, tallyOf, type Tally } from './tally.ts';
import { kindOfWork, parentOfWork, workOfKind } from './work.ts';

/** A tally, packed: by kind of work, pairs of the parent's number (0 for none) and the count. */
export const CarriedTally = z.record(z.string(), z.array(z.number().int().min(0)));
export type CarriedTally = z.infer<typeof CarriedTally>;

/** Packs a tally. */
export function packedTally(tally: Tally): CarriedTally {
  const packed: CarriedTally = {};
  for (const [work, times] of tallied(tally)) {
    const parent = parentOfWork(work);
    (packed[kindOfWork(work)] ??= []).push(parent === null ? 0 : nodeNumber(parent), times);
  }
  return packed;
}

/** The tally that was packed. */
export function unpackedTally(packed: CarriedTally): Tally {
  return tallyOf(
    Object.entries(packed).flatMap(([kind, pairs]) =>
      pairs.flatMap((parent, at): [string, number][] =>
        at % 2 === 1 ? [] : [[workOfKind(kind, parent === 0 ? null : nodeId(parent)), pairs[at + 1] ?? 0]],
      ),
    ),
  );
}
