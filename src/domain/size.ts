/** Sizes in the config: `64KiB`, `16MiB`, `4GiB`. */

const UNIT_BYTES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/**
 * Bytes of a size such as `16MiB`.
 *
 * @throws RangeError for a text of another form; the config's schema refuses those first.
 */
export function bytesOf(size: string): number {
  const [, count, unit] = /^(\d+)(KiB|MiB|GiB)$/.exec(size) ?? [];
  const bytes = UNIT_BYTES[unit ?? ''];
  if (count === undefined || bytes === undefined) throw new RangeError(`expected a size such as 16MiB, got ${size}`);
  return Number(count) * bytes;
}
