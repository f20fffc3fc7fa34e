import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformFailure } from '../domain/failure.ts';
import type { ResearchInput } from '../domain/run-plan.ts';
import { taskFiles, type Task } from '../domain/task.ts';
import { writeFileAtomic } from './atomic-file.ts';
import { loadConfig, type LoadedConfig } from './config-file.ts';
import { findConfig } from './config-path.ts';
import type { ConfigSets } from './config-sets.ts';
import { findDataFolder } from './data-folder.ts';
import { runPaths, type Home } from './layout.ts';
import { findTask, loadTask } from './task-file.ts';

/** Everything that a person gives to a run, read and checked. */
export interface RunInputs extends LoadedConfig {
  /** The changes that were made to the config. */
  readonly sets: ConfigSets;
  readonly task: Task;
  readonly taskFolder: string;
  /** Absolute path of the data folder; `null` when there is none. */
  readonly dataDir: string | null;
}

/**
 * Reads config, task and data folder of a run.
 *
 * @throws PlatformFailure `ConfigInvalid` with what is wrong in one of them
 */
export async function readRunInputs(home: Home, input: ResearchInput): Promise<RunInputs> {
  const sets = input.set ?? {};
  const loaded = await loadConfig(await findConfig(home, input.config), sets);
  const taskFolder = await findTask(home, loaded.config);
  const task = await loadTask(taskFolder);
  if (task.name !== loaded.config.task) {
    throw new PlatformFailure(
      'ConfigInvalid',
      `${taskFolder}/task.yaml: name is ${task.name}, but its folder is ${loaded.config.task}`,
      'Give both the same name.',
    );
  }
  const { dataDir, warnings } = await findDataFolder(home, loaded);
  return { ...loaded, warnings: [...loaded.warnings, ...warnings], sets, task, taskFolder, dataDir };
}

/** Copies what a run was given into its folder: the config, and the files of the task. Safe to repeat. */
export async function keepRunInputs(home: Home, runId: string, { text, sets, task, taskFolder }: RunInputs): Promise<void> {
  const paths = runPaths(home, runId);
  await rm(paths.task, { recursive: true, force: true });
  await mkdir(paths.task, { recursive: true });
  for (const name of ['task.yaml', ...taskFiles(task)]) await copyFile(join(taskFolder, name), join(paths.task, name));
  const changes = Object.entries(sets).map(([key, value]) => `# --set ${key}=${JSON.stringify(value)}\n`);
  await writeFileAtomic(paths.config, `${text.trimEnd()}\n${changes.join('')}`);
}
