import type { Runner } from './runner.ts';

/** Which node to expand next, and run control. */
export const SELECTION: Readonly<Record<string, Runner>> = {};
