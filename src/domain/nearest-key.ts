/** What a person probably meant: the known word nearest to a mistyped one. */

/** Letters to insert, remove, replace or swap with a neighbour to make `b` of `a` (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let twoAgo: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(before, j) + 1,
          at(row, j - 1) + 1,
          at(before, j - 1) + (same ? 0 : 1),
          swapped ? at(twoAgo, j - 2) + 1 : Infinity,
        ),
      );
    }
    [twoAgo, before] = [before, row];
  }
  return at(before, b.length);
}

/**
 * The candidate nearest to `typed`, `undefined` without candidates; of equals the earlier. Both are dotted
 * paths: a key in the wrong section counts as near when its last word is right.
 */
export function nearestKey(typed: string, candidates: Iterable<string>): string | undefined {
  const word = clean(typed).slice(0, 200);
  let best: { key: string; cost: number } | undefined;
  for (const key of candidates) {
    const cost = Math.min(
      editDistance(word, key),
      editDistance(lastWord(word), lastWord(key)) + 1.5,
      isPart(word, key) ? 2 : Infinity,
    );
    if (best === undefined || cost < best.cost) best = { key, cost };
  }
  return best?.key;
}

/** Dashes and capitals are the usual spelling of the same word: `numWorkers`, `num-workers`. */
function clean(typed: string): string {
  return typed
    .replaceAll('-', '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

/** Half a word is a usual slip too: `workers` for `num_workers`. */
function isPart(word: string, key: string): boolean {
  return lastWord(word).length > 3 && lastWord(key).includes(lastWord(word));
}

function lastWord(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
