import { runStage } from './run-stage.ts';
import { parseInput } from './failures.ts';
import { StageInput, type StageResult } from './stage-input.ts';

/** The four workflow types, so that lists and histories read well; one interpreter. */

/** Stage 1: a first working version. */
export async function initialImplementation(input: unknown): Promise<StageResult> {
  return runStage({ ...parseInput(StageInput, input), stage: 'initial_implementation' });
}

/** Stage 2: tune what works. */
export async function baselineTuning(input: unknown): Promise<StageResult> {
  return runStage({ ...parseInput(StageInput, input), stage: 'baseline_tuning' });
}

/** Stage 3: bolder changes, on all datasets. */
export async function creativeResearch(input: unknown): Promise<StageResult> {
  return runStage({ ...parseInput(StageInput, input), stage: 'creative_research' });
}

/** Stage 4: what each component is worth. */
export async function ablationStudies(input: unknown): Promise<StageResult> {
  return runStage({ ...parseInput(StageInput, input), stage: 'ablation_studies' });
}
