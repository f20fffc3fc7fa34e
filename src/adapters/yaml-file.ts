import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isAlias, isMap, isNode, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { clip, messageOf, oneLine, PlatformFailure } from '../domain/failure.ts';
import { nearestKey } from '../domain/nearest-key.ts';
import type { Problem } from '../domain/schema-problems.ts';
import { hasCode } from './atomic-file.ts';
import { yamlProblem } from './yaml-problems.ts';

/**
 * YAML files that a person writes: read with the places of their keys, so that whatever is wrong with a
 * value is reported with file, line and column. What cannot be read at all is one clear error.
 */
export interface YamlFile {
  /** The path as it is shown to people. */
  readonly name: string;
  readonly text: string;
  /** What the file says, as plain values. Not checked against any schema. */
  readonly value: unknown;
  /** `file:line:column` of a problem. */
  readonly place: (problem: Problem) => string;
  /** Problems in the order of their places. */
  readonly inOrder: (problems: readonly Problem[]) => Problem[];
}

/** How problems are told to a person. */
export interface Telling {
  /** Where a problem is, e.g. `config/my.yaml:3:5`. */
  readonly place: (problem: Problem) => string;
  /** What helps with a wrong value that has no fix of its own; empty when nothing does. */
  readonly hint: (problem: Problem) => string;
  /** What to do after all. */
  readonly fix: string;
}

/** Largest file that is read, bytes: a thousand times what a config needs. */
const LARGEST = 1024 * 1024;
/** Uses of anchors in one file; beyond it, it is a file that unfolds to gigabytes. */
const MOST_ALIASES = 100;
const MOST_PROBLEMS = 30;
const FIX_YAML = 'Correct the YAML there; a text with : or # in it needs quotes.';

/**
 * Reads a YAML (or JSON) file; `kind` says what it is in errors, e.g. `config file`.
 *
 * @throws PlatformFailure `ConfigInvalid`
 */
export async function readYamlFile(path: string, kind: string): Promise<YamlFile> {
  const name = shownPath(path);
  const text = decoded(await bytesOf(path, name, kind), name);
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true });
  const wrong = [...document.errors, ...document.warnings].map((error) => `${at(error.pos[0])} ${yamlProblem(error, text)}`);
  if (wrong.length > 0) throw new PlatformFailure('ConfigInvalid', listed(wrong), FIX_YAML);
  return {
    name,
    text,
    value: plainValue(document, name),
    place: (problem) => at(offsetOf(document, problem)),
    inOrder: (problems) => [...problems].sort((a, b) => offsetOf(document, a) - offsetOf(document, b)),
  };
}

/** The failure that lists problems, each with its place, key, reason and fix. */
export function invalidFile(problems: readonly Problem[], { place, hint, fix }: Telling): PlatformFailure {
  const lines = problems.map((problem) => {
    const key = problem.path.length === 0 ? '' : `${problem.path.join('.')}: `;
    const help = problem.fix === '' && problem.at === 'value' ? hint(problem) : problem.fix;
    return `${place(problem)} ${key}${problem.what}${help === '' ? '' : `; ${help}`}`;
  });
  return new PlatformFailure('ConfigInvalid', listed(lines), fix);
}

/** A path as people are shown it: relative to the folder they are in, unless it lies outside. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') ? path : near;
}

/** The failure that a file or folder which a person named cannot be read, whatever the reason. */
export function unreadable(error: unknown, name: string, kind: string): PlatformFailure {
  const refuse = (why: string, fix: string): PlatformFailure =>
    new PlatformFailure('ConfigInvalid', `${name}: ${why}`, fix, { cause: error });
  if (error instanceof PlatformFailure) return error;
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return refuse(`there is no such ${kind}`, `Name a ${kind} that is there.`);
  if (hasCode(error, 'EACCES', 'EPERM')) return refuse('no permission to read it', `Allow it, e.g. chmod u+rX ${name}`);
  return refuse(`it cannot be read (${messageOf(error)})`, `Name a ${kind} that can be read.`);
}

async function bytesOf(path: string, name: string, kind: string): Promise<Buffer> {
  const refuse = (why: string): PlatformFailure => new PlatformFailure('ConfigInvalid', `${name}: ${why}`, `Name a ${kind}.`);
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw refuse('this is a folder');
    if (!found.isFile()) throw refuse('this is no ordinary file');
    if (found.size > LARGEST) throw refuse(`the file has ${found.size} bytes, more than the ${LARGEST} that are read`);
    return await readFile(path);
  } catch (error) {
    const failure = unreadable(error, name, kind);
    if (!hasCode(error, 'ENOENT')) throw failure;
    throw new PlatformFailure(failure.type, failure.message, `${failure.fix}${await nearestFile(path)}`, { cause: error });
  }
}

async function nearestFile(path: string): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  const nearest = nearestKey(
    basename(path),
    names.filter((name) => /\.(ya?ml|json)$/.test(name)),
  );
  return nearest === undefined ? '' : ` The nearest one is ${shownPath(join(dirname(path), nearest))}.`;
}

function decoded(bytes: Buffer, name: string): string {
  const refuse = (why: string): PlatformFailure =>
    new PlatformFailure('ConfigInvalid', `${name}: ${why}`, 'Save it as text in UTF-8.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('this is no text in UTF-8');
  }
  if (text.includes('\0')) throw refuse('this is a binary file');
  return text;
}

function plainValue(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    const why = messageOf(error);
    throw new PlatformFailure(
      'ConfigInvalid',
      `${name}: its anchors cannot be followed (${why})`,
      'Write the values out instead of *alias.',
      {
        cause: error,
      },
    );
  }
}

/** Where a path is in the file: its key or value, or the key of the nearest section above that is written there. */
function offsetOf(document: Document.Parsed, { path, at }: Problem): number {
  let node: unknown = document.contents;
  let key: unknown = null;
  for (const part of path) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(inside) ? inside.items.find((item) => String(item.key) === String(part)) : undefined;
    const entry: unknown = isSeq(inside) && typeof part === 'number' ? inside.items[part] : undefined;
    if (pair === undefined && entry === undefined) return offset(key) ?? 0;
    key = pair?.key ?? entry;
    node = pair === undefined ? entry : pair.value;
  }
  return (at === 'value' ? offset(node) : undefined) ?? offset(key) ?? 0;
}

function offset(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, MOST_PROBLEMS).map((line) => clip(oneLine(line), 400));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
