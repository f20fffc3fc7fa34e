import { STAGE_NAMES, type StageName } from '../../domain/ids.ts';

/** A stage with its place in the run: `stage 2/4 baseline_tuning`. */
export function stageText(stage: StageName): string {
  return `stage ${STAGE_NAMES.indexOf(stage) + 1}/${STAGE_NAMES.length} ${stage}`;
}
