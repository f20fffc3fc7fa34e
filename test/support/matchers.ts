import { expect } from 'vitest';

/** `expect.stringContaining` without its `any`, so that it may stand inside an expected object. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

/** `expect.stringMatching` without its `any`. */
export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
