import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { orNull } from './atomic-file.ts';
import type { Program } from './program.ts';

const FIGURES: readonly string[] = ['.png', '.svg'];

/** The folder of one attempt, fresh for each, and what lies where in it. */
export interface AttemptPaths {
  readonly root: string;
  /** The program's working folder: its files, and whatever it writes beside them. */
  readonly work: string;
  readonly parameters: string;
  /** Figures, and whatever else is worth keeping. */
  readonly out: string;
  readonly results: string;
  readonly output: string;
  /** `attempt.json`, what it is for (domain/attempt.ts). */
  readonly record: string;
  /** The program's home and temporary folder, gone when it is dead. Outside the tree, because Unix sockets need short paths. */
  readonly temporary: string;
}

/** The paths of the attempt in a folder. */
export function attemptPaths(root: string): AttemptPaths {
  return {
    root,
    work: join(root, 'work'),
    parameters: join(root, 'work', 'parameters.json'),
    out: join(root, 'out'),
    results: join(root, 'results.jsonl'),
    output: join(root, 'output.log'),
    record: join(root, 'attempt.json'),
    temporary: join(tmpdir(), `scientist-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`),
  };
}

/**
 * Makes the folders of an attempt and puts its program in. What lies there from an earlier attempt of the same
 * name (a run that was reset counts again) is moved to `<attempt>.old-<n>`, never overwritten.
 */
export async function makeAttemptFolder(root: string, program: Program): Promise<AttemptPaths> {
  await setAside(root);
  const paths = attemptPaths(root);
  await removeTemporary(paths);
  await mkdir(paths.work, { recursive: true });
  await mkdir(paths.out);
  await mkdir(paths.temporary, { mode: 0o700 });
  for (const [name, bytes] of program.files) await writeFile(join(paths.work, name), bytes, { mode: 0o755 });
  await writeFile(paths.parameters, JSON.stringify(program.parameters));
  return paths;
}

/** Removes the temporary folder of an attempt that is dead. */
export async function removeTemporary(paths: AttemptPaths): Promise<void> {
  await rm(paths.temporary, { recursive: true, force: true });
}

/** The names of the figures in an output folder, sorted: PNG and SVG files, never links. */
export async function figureNames(out: string): Promise<string[]> {
  const entries = (await orNull(readdir(out, { withFileTypes: true }))) ?? [];
  const figures = entries.filter((entry) => entry.isFile() && FIGURES.includes(extname(entry.name).toLowerCase()));
  return figures.map((entry) => entry.name).sort();
}

async function setAside(root: string): Promise<void> {
  if ((await orNull(stat(root))) === null) return;
  let number = 1;
  while ((await orNull(stat(`${root}.old-${number}`))) !== null) number += 1;
  await rename(root, `${root}.old-${number}`);
}
