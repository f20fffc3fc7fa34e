/**
 * Seeded, named random streams. A draw belongs to a stream that is named after its purpose, so adding a
 * draw in one place does not shift another. The generator is sfc32, seeded by four FNV-1a-based hashes of
 * seed and name (both public domain algorithms); good enough for choosing, not for cryptography.
 */

/** A stream of random numbers. */
export interface Random {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** The next whole number, at least 0 and below `bound`; `bound` is a whole number of at least 1. */
  below(bound: number): number;
  /** One entry of a list; `undefined` only when the list is empty. */
  pick<T>(list: readonly T[]): T | undefined;
  /** A shuffled copy (Fisher-Yates). */
  shuffle<T>(list: readonly T[]): T[];
}

/** A 32-bit hash of a text (FNV-1a with a final mix); equal on every platform. */
export function hash32(text: string, basis = 0x811c9dc5): number {
  let hash = basis >>> 0;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The stream `name` of `seed`: the same numbers for the same arguments, for ever. */
export function randomStream(seed: number, name: string): Random {
  const key = `${seed}/${name}`;
  const next = sfc32([hash32(key, 1), hash32(key, 2), hash32(key, 3), hash32(key, 4)]);
  const below = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1) throw new RangeError(`bound must be a whole number of at least 1, got ${bound}`);
    return Math.floor(next() * bound);
  };
  return {
    next,
    below,
    pick: (list) => (list.length === 0 ? undefined : list[below(list.length)]),
    shuffle: (list) => shuffled(list, below),
  };
}

function shuffled<T>(list: readonly T[], below: (bound: number) => number): T[] {
  const left = [...list];
  const out: T[] = [];
  while (left.length > 0) out.push(...left.splice(below(left.length), 1));
  return out;
}

function sfc32(state: [number, number, number, number]): () => number {
  let [a, b, c, d] = state;
  const step = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) step();
  return () => step() / 2 ** 32;
}
