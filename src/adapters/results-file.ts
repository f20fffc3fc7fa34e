import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { latestValue, readReported, type Reported } from '../domain/results.ts';
import { hasCode } from './atomic-file.ts';

/**
 * Reading what an experiment program wrote. The program is not trusted: where a file was expected there may
 * be a link, a pipe or a folder, and it may be of any size.
 */

/** The part of `results.jsonl` that is looked at for progress. */
const PROGRESS_BYTES = 64 * 1024;

/** Which part of a file to read, and how much of it at most. */
export interface ReadPart {
  readonly from: 'start' | 'end';
  readonly maxBytes: number;
}

/** A part of a regular file as text; `null` when there is no file, or it is a link, a pipe or a folder. */
export async function readPart(path: string, part: ReadPart): Promise<string | null> {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would never return.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR', 'EACCES', 'EMLINK')) return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const status = await file.stat();
    if (!status.isFile()) return null;
    const length = Math.min(status.size, part.maxBytes);
    const start = part.from === 'start' ? 0 : status.size - length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What a program reported in `results.jsonl`; nothing when there is no such regular file. */
export async function readResults(path: string, maxBytes: number): Promise<Reported> {
  return readReported((await readPart(path, { from: 'start', maxBytes })) ?? '');
}

/** The latest value that a running program has reported; `null` before there is one. */
export async function readProgress(
  path: string,
  what: { metric: string; dataset: string },
): Promise<{ value: number; step: number | null } | null> {
  const text = (await readPart(path, { from: 'end', maxBytes: PROGRESS_BYTES })) ?? '';
  return latestValue(readReported(text), what.metric, what.dataset);
}
