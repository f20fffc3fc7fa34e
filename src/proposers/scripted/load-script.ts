import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { fromProject } from '../../adapters/config-path.ts';
import { orNull, writeFileAtomic } from '../../adapters/atomic-file.ts';
import { runPaths, type Home } from '../../adapters/layout.ts';
import { invalidFile, readYamlFile } from '../../adapters/yaml-file.ts';
import { problemsOf } from '../../domain/schema-problems.ts';
import { Script } from './script.ts';

const FIX = 'Correct the script: an entry is a match and one of edit, parameters, malformed and exhausted.';

/**
 * The script of a run, read from the copy in the run's folder, which the first call makes: a run never looks
 * at the user's file again. Whoever resolves the run calls it, so that a bad script is refused before waste.
 *
 * @throws PlatformFailure `ConfigInvalid` with every problem and its place
 */
export async function loadScript(home: Home, runId: string, path: string): Promise<Script> {
  const copy = join(runPaths(home, runId).root, 'script.yaml');
  const isCopied = (await orNull(stat(copy))) !== null;
  const file = await readYamlFile(isCopied ? copy : fromProject(home, path), 'script file');
  const parsed = Script.safeParse(file.value);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error.issues, file.value, scriptKeys());
    throw invalidFile(file.inOrder(problems), { place: file.place, hint: () => '', fix: FIX });
  }
  if (!isCopied) await writeFileAtomic(copy, file.text);
  return parsed.data;
}

function scriptKeys(): string[] {
  const entry = Script.shape.entries.element;
  return [...Object.keys(Script.shape), ...Object.keys(z.toJSONSchema(entry, { io: 'input' }).properties ?? {})];
}
