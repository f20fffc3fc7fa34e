import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { PACKAGE_ROOT, pythonPath } from '../../src/adapters/project.ts';
import { loadTask } from '../../src/adapters/task-file.ts';
import type { ParameterValue } from '../../src/domain/experiment.ts';
import { activeKeys, defaultParameters, type Task } from '../../src/domain/task.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Runs experiment programs by the contract alone, as any system could: variables in, files out. */

/** The folder of a task that comes with the program. */
export function taskFolder(name: string): string {
  return join(PACKAGE_ROOT, 'experiments', name);
}

/** The parameters that a program gets: the defaults with changes, without the keys that do not count. */
export function countingParameters(task: Task, changes: Record<string, ParameterValue> = {}): Record<string, ParameterValue> {
  const all = { ...defaultParameters(task), ...changes };
  return Object.fromEntries(Object.entries(all).filter(([key]) => activeKeys(task, all).includes(key)));
}

/** What a test wants to be run. */
export interface ProgramWish {
  /** Folder of the task, or of the program alone. */
  readonly folder: string;
  readonly program: string;
  readonly dataset?: string;
  readonly seed?: number;
  readonly parameters: Record<string, ParameterValue>;
  readonly dataDir?: string;
  /** Where `params.json`, `out`, `checkpoint` and the results are; a new folder where it is left out. */
  readonly place?: string;
}

/** A program that was started. */
export interface StartedProgram {
  readonly pid: number;
  readonly place: string;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<ProgramEnd>;
}

/** How a program ended and what it left. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** The lines of results.jsonl as they are. */
  readonly lines: string[];
  /** Names in the output folder, sorted. */
  readonly out: string[];
  readonly place: string;
}

/** Starts a program in a group of its own. */
export async function startProgram(wish: ProgramWish): Promise<StartedProgram> {
  const place = wish.place ?? temporaryFolder();
  const results = join(place, 'results.jsonl');
  for (const name of ['out', 'checkpoint']) await mkdir(join(place, name), { recursive: true });
  await cp(wish.folder, join(place, 'program'), { recursive: true });
  await writeFile(join(place, 'params.json'), JSON.stringify(wish.parameters));
  const child = spawn(pythonPath(), ['-B', wish.program], {
    cwd: join(place, 'program'),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      PYTHONPATH: join(PACKAGE_ROOT, 'python'),
      OMP_NUM_THREADS: '1',
      SCIENTIST_DATASET: wish.dataset ?? 'a',
      SCIENTIST_SEED: String(wish.seed ?? 0),
      SCIENTIST_PARAMS: join(place, 'params.json'),
      SCIENTIST_RESULTS: results,
      SCIENTIST_OUT: join(place, 'out'),
      SCIENTIST_CHECKPOINT: join(place, 'checkpoint'),
      SCIENTIST_DEVICE: 'cpu0',
      SCIENTIST_TIME_LIMIT_S: '60',
      ...(wish.dataDir === undefined ? {} : { SCIENTIST_DATA_DIR: wish.dataDir }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  }).then(async (exit) => ({
    ...exit,
    output,
    lines: await linesOf(results),
    out: (await readdir(join(place, 'out'))).sort(),
    place,
  }));
  const pid = child.pid ?? 0;
  return { pid, place, kill: (signal) => process.kill(-pid, signal), ended };
}

/** Runs a program to its end. */
export async function runProgram(wish: ProgramWish): Promise<ProgramEnd> {
  return (await startProgram(wish)).ended;
}

/** Copies the task `probe` into `<folder>/probe`, with other defaults and, if wished, with knobs that may be changed. */
export async function copyProbe(
  folder: string,
  { defaults = {}, frozen }: { readonly defaults?: Record<string, ParameterValue>; readonly frozen?: readonly string[] } = {},
): Promise<Task> {
  const target = join(folder, 'probe');
  await cp(taskFolder('probe'), target, { recursive: true });
  const path = join(target, 'task.yaml');
  const task: { frozen: readonly string[]; components: Record<string, { default: ParameterValue }> } = parse(
    await readFile(path, 'utf8'),
  );
  task.frozen = frozen ?? task.frozen;
  for (const [key, value] of Object.entries(defaults)) Object.assign(task.components[key] ?? {}, { default: value });
  await writeFile(path, stringify(task));
  return loadTask(target);
}

async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
