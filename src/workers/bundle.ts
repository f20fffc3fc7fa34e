import { workflowBundle } from './workflow-bundle.ts';

/** Makes the workflow bundle and ends; what it has to say goes to standard error. */

await workflowBundle((text) => process.stderr.write(`${text}\n`));
