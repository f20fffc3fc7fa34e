import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunConfig } from '../domain/config.ts';
import { PlatformFailure } from '../domain/failure.ts';
import { nearestKey } from '../domain/nearest-key.ts';
import { problemsOf, type Problem } from '../domain/schema-problems.ts';
import { Task, taskFiles } from '../domain/task.ts';
import { orNull } from './atomic-file.ts';
import { fromProject } from './config-path.ts';
import type { Home } from './layout.ts';
import { PACKAGE_ROOT } from './project.ts';
import { invalidFile, readYamlFile, shownPath } from './yaml-file.ts';

/** The folder with the tasks that a project has of itself. */
const TASKS = 'experiments';
const FIX = 'Correct this and start again; experiments/digits/task.yaml is an example of a task.';

/**
 * Reads the task in a folder: its `task.yaml`, and whether the programs that it names are there.
 *
 * @throws PlatformFailure `ConfigInvalid` that lists every problem with its place
 */
export async function loadTask(folder: string): Promise<Task> {
  const file = await readYamlFile(join(folder, 'task.yaml'), 'task file');
  const parsed = Task.safeParse(file.value);
  const wrong = parsed.success
    ? await missingFiles(folder, parsed.data)
    : problemsOf(parsed.error.issues, file.value, taskKeys());
  if (!parsed.success || wrong.length > 0) {
    throw invalidFile(file.inOrder(wrong), { place: file.place, hint: () => '', fix: FIX });
  }
  return parsed.data;
}

/**
 * The folder of the task that a config names: in its `tasks_dir`, or in `experiments` of the project, or
 * among the tasks that come with the program.
 *
 * @throws PlatformFailure `ConfigInvalid` when there is none, with the tasks that there are
 */
export async function findTask(home: Home, { task, tasks_dir: own }: Pick<RunConfig, 'task' | 'tasks_dir'>): Promise<string> {
  const above = own === null ? [join(home.root, TASKS), join(PACKAGE_ROOT, TASKS)] : [fromProject(home, own)];
  for (const folder of above) {
    if ((await orNull(stat(join(folder, task, 'task.yaml')))) !== null) return join(folder, task);
  }
  const names = [...new Set((await Promise.all(above.map(tasksIn))).flat())].sort();
  const places = [...new Set(above)].map(shownPath).join(' or ');
  const there = names.length === 0 ? 'no tasks are there' : `there are ${names.join(', ')}`;
  const nearest = nearestKey(task, names);
  const fix =
    nearest === undefined
      ? 'Name a folder that holds a task.yaml; tasks_dir names the folder above it.'
      : `Did you mean task: ${nearest}?`;
  throw new PlatformFailure('ConfigInvalid', `task: there is no ${task}/task.yaml in ${places} (${there})`, fix);
}

async function tasksIn(folder: string): Promise<string[]> {
  const names = (await orNull(readdir(folder))) ?? [];
  const found = await Promise.all(names.map((name) => orNull(stat(join(folder, name, 'task.yaml')))));
  return names.filter((_, index) => found[index] !== null);
}

async function missingFiles(folder: string, task: Task): Promise<Problem[]> {
  const places: [string, Problem['path']][] = taskFiles(task).map((name) => [name, placeOf(task, name)]);
  const found = await Promise.all(places.map(([name]) => orNull(stat(join(folder, name)))));
  return places
    .filter((_, index) => found[index]?.isFile() !== true)
    .map(([name, path]) => ({ path, at: 'value', what: `there is no file ${name} beside task.yaml`, fix: '' }));
}

function placeOf(task: Task, name: string): Problem['path'] {
  if (name === task.entry) return ['entry'];
  return name === task.plot ? ['plot'] : ['files', task.files.indexOf(name)];
}

/** Every word that may be a key somewhere in a task file. */
function taskKeys(): string[] {
  return [...new Set(propertyNames(z.toJSONSchema(Task, { io: 'input' })))];
}

function propertyNames(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(propertyNames);
  if (typeof schema !== 'object' || schema === null) return [];
  const own: unknown = Reflect.get(schema, 'properties');
  const names = typeof own === 'object' && own !== null ? Object.keys(own) : [];
  return [...names, ...Object.values(schema).flatMap(propertyNames)];
}
