import type { Runner } from './runner.ts';

/** The pipeline chain. */
export const PIPELINE: Readonly<Record<string, Runner>> = {};
