/** Compares texts by Unicode code point, as languages that do not store UTF-16 do. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}
