/** A metric's value: four decimals near one, four digits otherwise. */
export function valueText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1_000_000)) return value.toExponential(3);
  return value.toFixed(size >= 1000 ? 1 : size >= 100 ? 2 : 4);
}

/** A difference with its sign: `+0.0031`. */
export function signedText(value: number): string {
  return `${value < 0 ? '-' : '+'}${valueText(Math.abs(value))}`;
}

/** A count with its noun: `1 node`, `2 nodes`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
