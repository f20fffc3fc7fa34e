import { CLUSTERS } from './groups/clusters.ts';
import { DATA } from './groups/data.ts';
import { EDITS } from './groups/edits.ts';
import { ENGINE } from './groups/engine.ts';
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
  ...ENGINE,
};

/** The cases of those groups that are not claimed, each with its reason. */
export const NOT_CLAIMED: Readonly<Record<string, string>> = {
  'engine/pp-two-stages':
    'the workers of a round do one task on two artifacts that know nothing of each other; here a pipeline is a chain over the stages of a run',
};
