import { parseDocument } from 'yaml';
import type { ResearchInput } from '../domain/run-plan.ts';
import { valueAt, type Problem } from '../domain/schema-problems.ts';

/**
 * Changes to a config from outside its file: `--set agent.num_workers=2` on the command line, or `set` in
 * the input of a run. A text is read as YAML would read it (`2`, `true`, `[a, b]`), any other value is taken
 * as it is.
 */
export type ConfigSets = NonNullable<ResearchInput['set']>;

/** The value with the changes made, later ones over earlier ones, and what could not be changed. */
export function withSets(value: unknown, sets: ConfigSets): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  let changed = value;
  for (const [key, written] of Object.entries(sets)) {
    const read = typeof written === 'string' ? setValue(written) : { value: written };
    const path = key.split('.');
    if ('problem' in read) problems.push({ path, at: 'value', what: read.problem, fix: 'put the text in quotes' });
    else if (canHold(changed, path)) changed = withValue(changed, path, read.value);
    else
      problems.push({ path, at: 'key', what: 'what stands above this key in the file is no section', fix: 'correct that first' });
  }
  return { value: changed, problems };
}

/** Whether a problem is about a change rather than about the file, which says `fileValue`. */
export function isFromSet({ path }: Pick<Problem, 'path'>, sets: ConfigSets, fileValue: unknown): boolean {
  const key = path.join('.');
  const isWritten = valueAt(fileValue, path) !== undefined;
  return Object.keys(sets).some((set) => key === set || key.startsWith(`${set}.`) || (!isWritten && set.startsWith(`${key}.`)));
}

function setValue(text: string): { value: unknown } | { problem: string } {
  const isFlow = /^\s*[[{"']/.test(text);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const wrong = [...document.errors, ...document.warnings][0];
  if (wrong !== undefined) return isFlow ? { problem: `this value cannot be read: ${wrong.message}` } : { value: text };
  const value: unknown = plain(document);
  // Unquoted, `a: b` and `a # b` are texts to whoever types them, not a section and not a comment.
  const isText = value === undefined || typeof value === 'string' || (typeof value === 'object' && value !== null);
  return { value: isText && !isFlow ? text : value };
}

function plain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 10 });
  } catch {
    return undefined;
  }
}

function canHold(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || value === null || value === undefined) return true;
  return isSection(value) && (rest.length === 0 || canHold(inside(value, name), rest));
}

function withValue(value: unknown, [name, ...rest]: readonly string[], leaf: unknown): unknown {
  if (name === undefined) return leaf;
  const section = isSection(value) ? value : {};
  return { ...section, [name]: withValue(inside(section, name), rest, leaf) };
}

function inside(section: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(section, name) ? section[name] : undefined;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
