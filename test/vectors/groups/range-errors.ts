/** How the reference says what it raised. */
interface ReferenceError {
  readonly class: string;
  readonly is_a: readonly string[];
  readonly condition: string;
}

/** What `run` gives, or what the reference raises where we throw a `RangeError`; any other error is thrown on. */
export function orRangeError(run: () => unknown, raised: ReferenceError): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return { error: raised };
    throw error;
  }
}
