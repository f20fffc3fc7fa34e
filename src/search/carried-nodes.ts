import { z } from 'zod';
import { FailureReason } from '../domain/failure.ts';
import { nodeId, nodeNumber, Ref } from '../domain/ids.ts';
import { Operator } from '../domain/item.ts';
import type { StageNode } from '../domain/node.ts';

/**
 * The nodes of a stage, packed: a row each, with texts that come again and again in a list of their own, and
 * experiments in a denser alphabet. About 70 characters a node.
 */

/** Number of the node, number of its parent (0 for none), operator, label, debug depth, experiment, metric or reason. */
const Row = z.tuple([
  z.number().int().min(1),
  z.number().int().min(0),
  z.number().int().min(0),
  z.number().int().min(0),
  z.number().int().min(0),
  z.string().max(22).nullable(),
  z.union([z.number(), FailureReason]),
]);
type Row = z.infer<typeof Row>;

/** Packed nodes; operators and labels in rows are places in `words`. */
export const CarriedNodes = z.strictObject({ words: z.array(z.string().max(200)), rows: z.array(Row) });
export type CarriedNodes = z.infer<typeof CarriedNodes>;

/** Packs nodes. */
export function packedNodes(nodes: readonly StageNode[]): CarriedNodes {
  const places = new Map<string, number>();
  const place = (word: string): number => {
    const known = places.get(word) ?? places.size;
    places.set(word, known);
    return known;
  };
  const rows = nodes.map((node): Row => [
    nodeNumber(node.id),
    node.parent === null ? 0 : nodeNumber(node.parent),
    place(node.operator),
    place(node.label),
    node.debugDepth,
    node.experiment === null ? null : packedRef(node.experiment),
    node.status === 'good' ? node.metric : node.reason,
  ]);
  return { words: [...places.keys()], rows };
}

/** The nodes that were packed; throws for what was not packed here. */
export function unpackedNodes({ words, rows }: CarriedNodes): StageNode[] {
  return rows.map(([id, parent, operator, label, debugDepth, experiment, worth]) => {
    const core = {
      id: nodeId(id),
      operator: Operator.parse(words[operator]),
      parent: parent === 0 ? null : nodeId(parent),
      label: z.string().parse(words[label]),
      debugDepth,
    };
    const ref = experiment === null ? null : unpackedRef(experiment);
    return typeof worth === 'number'
      ? { status: 'good', ...core, experiment: Ref.parse(ref), metric: worth }
      : { status: 'buggy', ...core, experiment: ref, reason: worth };
  });
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A ref of 32 hexadecimal digits in 22 of base 64: 3 digits in 2, and the last two in the last two. */
function packedRef(ref: Ref): string {
  let packed = '';
  for (let at = 0; at < ref.length; at += 3) {
    const value = Number.parseInt(ref.slice(at, at + 3), 16);
    packed += (DIGITS[value >> 6] ?? '') + (DIGITS[value & 63] ?? '');
  }
  return packed;
}

function unpackedRef(packed: string): Ref {
  let ref = '';
  for (let at = 0; at < packed.length; at += 2) {
    const value = DIGITS.indexOf(packed[at] ?? '') * 64 + DIGITS.indexOf(packed[at + 1] ?? '');
    ref += value.toString(16).padStart(at + 2 < packed.length ? 3 : 2, '0');
  }
  return Ref.parse(ref);
}
