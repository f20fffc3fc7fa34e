import { EXIT } from './exit-codes.ts';
import { CliFailure } from './failure-text.ts';

/**
 * Adds one `--set key.path=value` to those before it, as commander collects a repeatable option. The value
 * stays text; the config's schema decides what it is. A later change of the same key wins.
 */
export function collectSet(change: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const match = /^([A-Za-z_][\w-]*(?:\.[\w-]+)*)=(.*)$/s.exec(change);
  const [, key, value] = match ?? [];
  if (key === undefined || value === undefined) {
    throw new CliFailure(
      EXIT.input,
      `--set ${change} cannot be read`,
      'write it as key.path=value, e.g. --set agent.num_workers=2',
    );
  }
  return { ...before, [key]: value };
}
