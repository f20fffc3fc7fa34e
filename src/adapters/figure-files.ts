import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { hasCode, orNull } from './atomic-file.ts';
import { runPaths, type Home } from './layout.ts';
import { figureNames } from './attempt-folder.ts';

/**
 * Figures as a report shows them. Programs made them, so nothing about them is trusted: links are not
 * followed, names become links only percent-encoded, and bytes are shown as an image, never as markup.
 * A figure that cannot be read is left out; it never fails the report.
 */

/** Figures shown per folder, in order of their names; the rest is in the folder. */
const MAX_PER_FOLDER = 12;
/** Bytes of a figure that is put into the page; larger ones are linked. */
const MAX_INLINE = 256 * 1024;
/** Bytes put into the page in all, so that it stays one that a browser opens at once. */
const MAX_INLINE_TOTAL = 6 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' };

/** A figure: its file name, its link relative to the run's folder, and its bytes as a `data:` address. */
export interface FoundFigure {
  readonly name: string;
  readonly href: string;
  /** `null` for a file that is too large to be put into a page. */
  readonly dataUri: string | null;
}

/** The figures in some folders, given relative to the run's folder. */
export async function readFigures(home: Home, runId: string, folders: readonly string[]): Promise<Map<string, FoundFigure[]>> {
  const { root } = runPaths(home, runId);
  const found = new Map<string, FoundFigure[]>();
  let left = MAX_INLINE_TOTAL;
  for (const folder of folders) {
    const figures: FoundFigure[] = [];
    for (const name of (await namesIn(join(root, folder))).slice(0, MAX_PER_FOLDER)) {
      const bytes = await readFigure(join(root, folder, name), Math.min(left, MAX_INLINE));
      if (bytes === 'unreadable') continue;
      left -= bytes?.length ?? 0;
      const dataUri =
        bytes === null ? null : `data:${TYPES[extname(name).toLowerCase()] ?? ''};base64,${bytes.toString('base64')}`;
      figures.push({ name, href: `${folder}/${linkText(name)}`, dataUri });
    }
    found.set(folder, figures);
  }
  return found;
}

/** The names of the figures in a folder; none where the program put a link in its place. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    const entry = await orNull(lstat(folder));
    return entry?.isDirectory() === true ? await figureNames(folder) : [];
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

/** The bytes of a figure, `null` when they are more than `max`. */
async function readFigure(path: string, max: number): Promise<Buffer | 'unreadable' | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      return size > max ? null : await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO')) return 'unreadable';
    throw error;
  }
}

/** Brackets are encoded too: they end a link in Markdown. */
function linkText(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/[()'*!]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
