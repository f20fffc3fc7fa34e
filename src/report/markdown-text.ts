import { plainText } from './words.ts';

/** Safe Markdown: text of programs stays text, whatever it holds. */

/** Letters, digits and the signs of keys and values: nothing that a Markdown or HTML reader takes for more. */
const PLAIN_CODE = /^[\p{L}\p{N} .,=→–:;+/_-]+$/u;

/** Escapes a text for running text and table cells: one line, no markup, no HTML, no automatic links. */
export function escapeMarkdown(text: string): string {
  return plainText(text)
    .trim()
    .replace(/[\\`*[\]|~$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/^[-+=:#]/, '\\$&')
    .replace(/^(\d+)(?=[.)](\s|$))/, '$1\\')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replaceAll('://', '&#58;//')
    .replace(/www\./gi, 'www&#46;');
}

/** A code span for what looks like keys and values; any other text is escaped, since nothing can be in a code span. */
export function codeSpan(text: string): string {
  const plain = plainText(text).trim();
  return PLAIN_CODE.test(plain) ? `\`${plain}\`` : escapeMarkdown(plain);
}

/** A table; cells are Markdown already. An empty list of rows gives nothing. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}
