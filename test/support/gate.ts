/** Holds back work in a test until the test lets it go, so that nothing has to be timed. */
export interface Gate {
  /** Resolves when the gate is opened. */
  readonly passed: Promise<void>;
  open(): void;
}

/** A closed gate. */
export function gate(): Gate {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    passed,
    open: () => {
      open();
    },
  };
}

/** Waits until `holds` is true, asking again and again; the test's own time limit ends it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Asks again and again until `look` gives something, and gives that; what it throws counts as nothing yet. Names
 * `what` never came when it takes longer than any machine should need.
 */
export async function eventually<T>(what: string, look: () => Promise<T | null | false>): Promise<T> {
  let why: unknown = 'it was not so';
  for (const end = performance.now() + 120_000; performance.now() < end;) {
    const found = await look().catch((error: unknown) => ((why = error), null));
    if (found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`, { cause: why });
}
