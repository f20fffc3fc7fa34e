import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment, ParameterValue } from '../domain/experiment.ts';
import { PlatformFailure } from '../domain/failure.ts';
import type { ResolvedRun } from '../domain/resolved-run.ts';
import { activeKeys, defaultParameters, taskFiles, type Task } from '../domain/task.ts';
import { getArtifact } from './artifact-store.ts';
import { orNull } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';
import { loadRun } from './run-store.ts';

/** An experiment made ready to run: all bytes of its files and the parameters that count. */
export interface Program {
  /** File name to content, sorted by name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The active keys with their values, sorted by key. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/**
 * Reads the whole program of an experiment. One that carries the entry program is complete; to any other the
 * task's files are added, as they were when the run was resolved.
 *
 * @throws PlatformFailure `ArtifactMissing`, `ArtifactCorrupt`.
 */
export async function readProgram(home: Home, runId: string, experiment: Experiment): Promise<Program> {
  return readProgramOf(home, await loadRun(home, runId), experiment);
}

/** {@link readProgram} of a run that is already loaded. */
export async function readProgramOf(home: Home, run: ResolvedRun, experiment: Experiment): Promise<Program> {
  const { runId } = run.plan;
  const added = run.task.entry in experiment.files ? [] : taskFiles(run.task);
  const names = new Set([...added, ...Object.keys(experiment.files)]);
  const files = new Map<string, Buffer>();
  for (const name of [...names].sort()) {
    const ref = experiment.files[name];
    files.set(name, ref === undefined ? await taskFile(home, runId, name) : await getArtifact(home, runId, ref));
  }
  return { files, parameters: activeParameters(run.task, experiment) };
}

/** The values of the keys that count under an experiment's parameters, missing ones at their default, sorted by key. */
export function activeParameters(task: Task, experiment: Pick<Experiment, 'parameters'>): Record<string, ParameterValue> {
  const values = { ...defaultParameters(task), ...experiment.parameters };
  return Object.fromEntries(
    activeKeys(task, values).flatMap((key) => {
      const value = values[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

async function taskFile(home: Home, runId: string, name: string): Promise<Buffer> {
  const path = join(runPaths(home, runId).task, name);
  const bytes = await orNull(readFile(path));
  if (bytes !== null) return bytes;
  throw new PlatformFailure(
    'ArtifactMissing',
    `The program file ${path} is not there.`,
    'Restore it from the task’s folder, or start the run afresh.',
  );
}
