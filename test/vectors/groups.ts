import { CLUSTERS } from './groups/clusters.ts';
import { DATA } from './groups/data.ts';
import { EDITS } from './groups/edits.ts';
import { PIPELINE } from './groups/pipeline.ts';
import { SECTIONS } from './groups/sections.ts';
import { SELECTION } from './groups/selection.ts';
import type { Runner } from './groups/runner.ts';

/** The groups that this system claims; cases of any other are skipped by name. */
export const GROUPS: Readonly<Record<string, Runner>> = {
  ...DATA,
  ...SECTIONS,
  ...CLUSTERS,
  ...PIPELINE,
  ...EDITS,
  ...SELECTION,
};
