/**
 * The earliest of a chain of stages that failed; `null` when none did. A stage of which nothing is said counts as
 * successful, and what is said of a stage that is not in the chain, as nothing.
 */
export function blame<Stage extends string>(stages: readonly Stage[], success: ReadonlyMap<string, boolean>): Stage | null {
  return stages.find((stage) => success.get(stage) === false) ?? null;
}
