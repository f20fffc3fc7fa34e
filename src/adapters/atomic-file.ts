import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { PlatformFailure } from '../domain/failure.ts';

/**
 * Files that appear whole or not at all. A reader, and a machine that loses power, sees the old bytes or
 * the new ones, never half of them.
 */

/** Writes a file by a temporary name in the same folder, fsync and rename; makes the folders above it. */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${basename(path)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeThrough(temporary, data);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Writes a value as indented JSON, atomically. The value is not checked; parse it where it was made. */
export async function writeJsonAtomic(path: string, value: unknown): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Reads a JSON file and parses it.
 *
 * @throws PlatformFailure `ArtifactMissing` when there is no such file, `ArtifactCorrupt` when it is not
 * JSON or does not fit the schema. Errors of the machine (no permission, disk) are thrown as they are.
 */
export async function readJson<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const text = await readTextFile(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw corrupt(path, error instanceof Error ? error.message : 'it is not JSON', error);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw corrupt(path, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

/** A JSON file that may be missing or unusable, such as one that another program wrote: `null` then. */
export async function readJsonOrNull<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | null> {
  try {
    return await readJson(path, schema);
  } catch (error) {
    if (error instanceof PlatformFailure) return null;
    throw error;
  }
}

/** Whether an error is the file system's answer `code`, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** The result of a read, or `null` when there is no such file or folder. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

async function readTextFile(path: string): Promise<string> {
  const text = await orNull(readFile(path, 'utf8'));
  if (text !== null) return text;
  throw new PlatformFailure('ArtifactMissing', `${path} is not there.`, 'Restore it from a copy, or start the run afresh.');
}

async function writeThrough(path: string, data: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a rename survive a loss of power; some file systems refuse to sync a folder, which loses only that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'EISDIR', 'EPERM', 'ENOTSUP')) throw error;
  } finally {
    await handle.close();
  }
}

function corrupt(path: string, why: string, cause: unknown): PlatformFailure {
  return new PlatformFailure(
    'ArtifactCorrupt',
    `${path} cannot be read: ${why}`,
    'Restore it from a copy, or start the run afresh.',
    {
      cause,
    },
  );
}
