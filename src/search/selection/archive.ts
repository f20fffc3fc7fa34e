/** Steepness and middle of the sigmoid by which an archive values a score between 0 and 1. */
const [STEEPNESS, MIDDLE] = [10, 0.5];

/**
 * How likely each member of an archive is drawn, by score and novelty: `sigmoid(10 * (score - 0.5)) / (1 + children)`,
 * all together 1. A good node is likely, one that has many children already less so, and none is impossible.
 */
export function noveltyWeights(members: readonly { readonly score: number; readonly children: number }[]): number[] {
  const weights = members.map(({ score, children }) => 1 / (1 + Math.exp(-STEEPNESS * (score - MIDDLE))) / (1 + children));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
