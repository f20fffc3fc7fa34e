import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';
import type { RunStart } from '../domain/fork.ts';
import type { ResearchInput } from '../domain/run-plan.ts';
import { taskFiles, type Task } from '../domain/task.ts';
import { orNull, writeFileAtomic } from './atomic-file.ts';
import { loadConfig, type LoadedConfig } from './config-file.ts';
import { findConfig } from './config-path.ts';
import type { ConfigSets } from './config-sets.ts';
import { findDataFolder } from './data-folder.ts';
import { readForkStart } from './fork-run.ts';
import { runPaths, type Home } from './layout.ts';
import { findTask, loadTask } from './task-file.ts';

/** Everything that a person gives to a run, read and checked. */
export interface RunInputs extends LoadedConfig {
  /** The changes that were made to the config. */
  readonly sets: ConfigSets;
  readonly task: Task;
  readonly taskFolder: string;
  /** Where a fork begins; `null` for a run that begins with nothing. */
  readonly start: RunStart | null;
  /** Absolute path of the data folder; `null` when there is none. */
  readonly dataDir: string | null;
}

/**
 * Reads config, task and data folder of a run; of a fork also the node that it starts from, and the task is the
 * copy that its source keeps.
 *
 * @throws PlatformFailure `ConfigInvalid` with what is wrong in one of them; `ArtifactMissing`, `ArtifactCorrupt`
 * when the experiment of a fork is damaged
 */
export async function readRunInputs(home: Home, input: ResearchInput): Promise<RunInputs> {
  const sets = input.set ?? {};
  const loaded = await loadConfig(await findConfig(home, input.config), sets);
  const start = input.from === undefined ? null : await readForkStart(home, input.from);
  const taskFolder = input.from === undefined ? await findTask(home, loaded.config) : runPaths(home, input.from.run).task;
  const task = await loadTask(taskFolder);
  if (input.from !== undefined && task.name !== loaded.config.task) {
    throw new PlatformFailure(
      'ConfigInvalid',
      `task: a fork of ${input.from.run} has its task ${task.name}, but the config says ${loaded.config.task}`,
      `Leave the task as it is, or start a new run of ${loaded.config.task}.`,
    );
  }
  if (task.name !== loaded.config.task) {
    throw new PlatformFailure(
      'ConfigInvalid',
      `${taskFolder}/task.yaml: name is ${task.name}, but its folder is ${loaded.config.task}`,
      'Give both the same name.',
    );
  }
  const { dataDir, warnings } = await findDataFolder(home, loaded);
  return { ...loaded, warnings: [...loaded.warnings, ...warnings], sets, task, taskFolder, start, dataDir };
}

/** A line that {@link keepRunInputs} adds for a change of the config. */
const CHANGE = /^# --set ([^=]+)=(.*)$/;
const SetValue = z.union([z.string(), z.number(), z.boolean()]);

/**
 * The changes that a run's config was given, as the copy in its folder says at its end; to be made again
 * wherever that copy is used.
 */
export async function keptSets(home: Home, runId: string): Promise<Record<string, ConfigSets[string]>> {
  const text = (await orNull(readFile(runPaths(home, runId).config, 'utf8'))) ?? '';
  const sets: [string, ConfigSets[string]][] = [];
  for (const line of text.trimEnd().split('\n').reverse()) {
    const [, key, value] = CHANGE.exec(line) ?? [];
    const read = SetValue.safeParse(value === undefined ? undefined : jsonOrNull(value));
    if (key === undefined || !read.success) break;
    sets.push([key, read.data]);
  }
  return Object.fromEntries(sets.reverse());
}

/** Copies what a run was given into its folder: the config, and the files of the task. Safe to repeat. */
export async function keepRunInputs(home: Home, runId: string, { text, sets, task, taskFolder }: RunInputs): Promise<void> {
  const paths = runPaths(home, runId);
  await rm(paths.task, { recursive: true, force: true });
  await mkdir(paths.task, { recursive: true });
  for (const name of ['task.yaml', ...taskFiles(task)]) await copyFile(join(taskFolder, name), join(paths.task, name));
  const changes = Object.entries(sets).map(([key, value]) => `# --set ${key}=${JSON.stringify(value)}\n`);
  await writeFileAtomic(paths.config, `${withoutChanges(text)}\n${changes.join('')}`);
}

/** A config without the lines of changes at its end: a fork is given the file that its source keeps. */
function withoutChanges(text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.slice(0, lines.findLastIndex((line) => !CHANGE.test(line)) + 1).join('\n');
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
