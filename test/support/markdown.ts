import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

/** A document of the project, taken apart into what tests check of it. */
export interface Markdown {
  /** Path in the project. */
  readonly path: string;
  readonly text: string;
  readonly headings: readonly string[];
  /** Targets of links, as written. */
  readonly links: readonly string[];
  /** Texts in backticks, outside of blocks. */
  readonly codes: readonly string[];
  readonly blocks: readonly Block[];
}

/** A fenced block of code. */
export interface Block {
  /** The language after the fence; empty without one. */
  readonly language: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly heading: string;
}

/** The README and every page of `docs/`. */
export function readDocuments(): Markdown[] {
  const pages = readdirSync(join(PACKAGE_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.sort().map((name) => `docs/${name}`)].map(readDocument);
}

/** One document. */
export function readDocument(path: string): Markdown {
  return parseMarkdown(path, readFileSync(join(PACKAGE_ROOT, path), 'utf8'));
}

/** Takes a document apart. Knows what our pages use: ATX headings, fences of three backticks, inline links and code. */
export function parseMarkdown(path: string, text: string): Markdown {
  const headings: string[] = [];
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { language: string; lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const fence = /^ *```(\w*)/.exec(line);
    if (fence !== null && open === null) open = { language: fence[1] ?? '', lines: [] };
    else if (fence !== null && open !== null) {
      blocks.push({ language: open.language, text: open.lines.join('\n'), heading: headings.at(-1) ?? '' });
      open = null;
    } else if (open !== null) open.lines.push(line);
    else {
      const heading = /^#+ +(.*)$/.exec(line)?.[1];
      if (heading !== undefined) headings.push(heading);
      prose.push(line);
    }
  }
  if (open !== null) throw new Error(`${path}: a block of code is not closed`);
  const words = prose.join('\n');
  return {
    path,
    text,
    headings,
    links: [...words.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    codes: [...words.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' ')),
    blocks,
  };
}

/** The anchor that a heading gets, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The lines of a shell block that do something, without their comments. */
export function shellLines(block: Block): string[] {
  return block.text.split('\n').flatMap((line) => line.replace(/(^|\s)#.*$/, '').trim() || []);
}

/** The part of a document from a heading to the next of its level or above. */
export function sectionOf({ path, text }: Markdown, heading: string): Markdown {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ +/, '') === heading && line.startsWith('#'));
  if (start < 0) throw new Error(`${path} has no heading ${heading}`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return parseMarkdown(path, [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join('\n'));
}
