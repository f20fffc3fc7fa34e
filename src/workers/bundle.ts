import { z } from 'zod';
import { BundleRefused, EXIT_REFUSED, workflowBundle } from './workflow-bundle.ts';

/** Makes the workflow bundle and ends; what it has to say goes to standard error. Its argument: users' modules, as JSON. */

const Modules = z.array(z.strictObject({ hash: z.string(), path: z.string() }));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

try {
  await workflowBundle(say, Modules.parse(JSON.parse(process.argv[2] ?? '[]')));
} catch (error) {
  if (!(error instanceof BundleRefused)) throw error;
  say(error.message);
  process.exitCode = EXIT_REFUSED;
}
