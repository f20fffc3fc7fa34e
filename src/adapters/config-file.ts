import type { RunConfig } from '../domain/config.ts';
import { configKeys, type ConfigKey } from '../domain/config-schema.ts';
import { readConfig } from '../domain/config-reading.ts';
import type { Problem } from '../domain/schema-problems.ts';
import { isFromSet, withSets, type ConfigSets } from './config-sets.ts';
import { invalidFile, readYamlFile } from './yaml-file.ts';

/** A config file, read and checked, with the changes of the command line made. */
export interface LoadedConfig {
  readonly config: RunConfig;
  /** Keys of AI-Scientist-v2 that were accepted without effect, dotted. */
  readonly ignoredKeys: readonly string[];
  /** What has no effect or was decided for the user, one sentence each. */
  readonly warnings: readonly string[];
  /** The file as it is, without the changes. */
  readonly text: string;
  /** Whether it is a file of AI-Scientist-v2 rather than one written for this system. */
  readonly fromAiScientist: boolean;
}

const FIX = 'Correct this and start again; config/full.yaml shows every key.';

/**
 * Reads a config file and makes the changes `sets` (dotted key to value) to it.
 *
 * @throws PlatformFailure `ConfigInvalid` that lists every problem with its place
 */
export async function loadConfig(path: string, sets: ConfigSets = {}): Promise<LoadedConfig> {
  const file = await readYamlFile(path, 'config file');
  const changed = withSets(file.value, sets);
  const reading = readConfig(changed.value);
  const problems = [...changed.problems, ...(reading.status === 'refused' ? reading.problems : [])];
  if (reading.status === 'refused' || problems.length > 0) {
    const ofSets = problems.filter((problem) => isFromSet(problem, sets, file.value));
    const ofFile = file.inOrder(problems.filter((problem) => !ofSets.includes(problem)));
    const place = (problem: Problem): string => (ofSets.includes(problem) ? '--set' : file.place(problem));
    throw invalidFile([...ofFile, ...ofSets], { place, hint, fix: FIX });
  }
  const { config, ignoredKeys, warnings, fromAiScientist } = reading;
  return { config, ignoredKeys, warnings, fromAiScientist, text: file.text };
}

/** What a wrong value is for, with its default. */
function hint({ path }: Problem): string {
  const key = keyAt(path);
  if (key === undefined || key.about === '') return '';
  return `it is: ${key.about}${key.usual === undefined ? '' : ` (default ${JSON.stringify(key.usual)})`}`;
}

function keyAt(path: Problem['path']): ConfigKey | undefined {
  let keys: ReadonlyMap<string, ConfigKey> | null = configKeys();
  let key: ConfigKey | undefined;
  for (const part of path) {
    key = keys?.get(String(part));
    keys = key?.keys ?? null;
  }
  return key;
}
