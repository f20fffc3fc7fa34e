/**
 * A hash of keys that is the same in every process and on every machine: BLAKE2b (RFC 7693, unkeyed, a digest of
 * 8 bytes) of the key as a Python program would write it. Pure, because workflow code has no crypto module.
 */

const BLOCK_BYTES = 128;
const DIGEST_BYTES = 8n;
const ROUNDS = 12;

/** RFC 7693, 2.6: the initialization vector. */
const IV: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** RFC 7693, 2.7: the order in which a round mixes in the words of the block, one hexadecimal digit a word. */
const SIGMA: readonly string[] = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
];

/** RFC 7693, 3.2: the words that each step of a round mixes, columns first and then diagonals. */
const STEPS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/** The bucket of a key: the low 31 bits of its hash modulo `count`. A bucket may stay empty. `RangeError` below 1. */
export function sectionOf(key: string, count: number): number {
  if (count < 1) throw new RangeError(`there is no section of ${count}`);
  return Number(hash64(pythonText(key)) & 0x7fff_ffffn) % count;
}

/** The 64-bit hash of a text, by its UTF-8 bytes. */
export function hash64(text: string): bigint {
  const bytes = new TextEncoder().encode(text);
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES));
  const state = BigUint64Array.from(IV);
  state[0] = wordAt(state, 0) ^ 0x0101_0000n ^ DIGEST_BYTES;
  for (let block = 0; block < blocks; block++) {
    const end = Math.min(bytes.length, (block + 1) * BLOCK_BYTES);
    compress(state, bytes.subarray(block * BLOCK_BYTES, end), { counted: BigInt(end), isLast: block === blocks - 1 });
  }
  return bytesReversed(wordAt(state, 0));
}

/** A text as Python's `repr` writes it: quoted, with escapes for backslash, quote and what cannot be printed. */
export function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${Array.from(text, (character) => escaped(character, quote)).join('')}${quote}`;
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);

function escaped(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  const isPrintable = character === ' ' || !/[\p{C}\p{Z}]/u.test(character);
  return SHORT_ESCAPES.get(character) ?? (isPrintable ? character : numbered(character.codePointAt(0) ?? 0));
}

function numbered(codePoint: number): string {
  const digits = codePoint.toString(16);
  if (codePoint < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return codePoint < 0x1_0000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** RFC 7693, 3.2: takes up to 128 bytes into the state; `counted` is how many there were up to and with these. */
function compress(state: BigUint64Array, bytes: Uint8Array, { counted, isLast }: { counted: bigint; isLast: boolean }): void {
  const message = wordsOf(bytes);
  const v = BigUint64Array.from([...state, ...IV]);
  v[12] = wordAt(v, 12) ^ counted;
  if (isLast) v[14] = ~wordAt(v, 14);
  for (let round = 0; round < ROUNDS; round++) {
    const order = SIGMA[round % SIGMA.length] ?? '';
    const mixedIn = (at: number): bigint => wordAt(message, Number.parseInt(order.charAt(at), 16));
    STEPS.forEach((step, index) => mix(v, step, [mixedIn(2 * index), mixedIn(2 * index + 1)]));
  }
  for (let at = 0; at < 8; at++) state[at] = wordAt(state, at) ^ wordAt(v, at) ^ wordAt(v, at + 8);
}

/** RFC 7693, 3.1: the mixing function G. The array keeps the low 64 bits of what is put into it. */
function mix(v: BigUint64Array, [a, b, c, d]: readonly [number, number, number, number], [x, y]: [bigint, bigint]): void {
  for (const [word, right, left] of [
    [x, 32n, 24n],
    [y, 16n, 63n],
  ] as const) {
    v[a] = wordAt(v, a) + wordAt(v, b) + word;
    v[d] = rotatedRight(wordAt(v, d) ^ wordAt(v, a), right);
    v[c] = wordAt(v, c) + wordAt(v, d);
    v[b] = rotatedRight(wordAt(v, b) ^ wordAt(v, c), left);
  }
}

function rotatedRight(word: bigint, by: bigint): bigint {
  return (word >> by) | BigInt.asUintN(64, word << (64n - by));
}

/** The bytes as 16 little-endian words, filled up with zeros. */
function wordsOf(bytes: Uint8Array): BigUint64Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(bytes);
  const view = new DataView(block.buffer);
  return BigUint64Array.from({ length: BLOCK_BYTES / 8 }, (_, index) => view.getBigUint64(8 * index, true));
}

/** The digest is the word's bytes, lowest first; as a number it is read highest first. */
function bytesReversed(word: bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, word, true);
  return view.getBigUint64(0);
}

function wordAt(words: BigUint64Array, index: number): bigint {
  return words[index] ?? 0n;
}
