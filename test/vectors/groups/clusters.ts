import type { Runner } from './runner.ts';

/** Clusters and the choice of the next task. */
export const CLUSTERS: Readonly<Record<string, Runner>> = {};
