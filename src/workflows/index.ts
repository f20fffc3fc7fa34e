import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPES } from '../domain/messages.ts';

export { research } from './research.ts';
export { ablationStudies, baselineTuning, creativeResearch, initialImplementation } from './stages.ts';

/** Catches workflow types that there are not; without it such a workflow would hang for ever. */
export default function unknownWorkflow(): never {
  const known = Object.values(WORKFLOW_TYPES).join(', ');
  throw ApplicationFailure.nonRetryable(
    `there is no workflow type ${workflowInfo().workflowType}; there are: ${known}`,
    'ConfigInvalid',
  );
}
