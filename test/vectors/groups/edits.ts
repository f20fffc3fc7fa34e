import type { Runner } from './runner.ts';

/** Edits: conflicts, unions and lag. */
export const EDITS: Readonly<Record<string, Runner>> = {};
