/**
 * Whether a module is one file of its own. It is found by its words, which is enough to say what is wrong in time:
 * what gets past it, whoever loads the module refuses.
 */

/** Comments, and texts of all kinds; none begins inside of another. */
const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
/** Types only, which are erased. */
const OF_TYPES = /(?<![\w$.])(?:import|export)\s+type\b[^;"]*?\bfrom\s*"\d+"/g;
const IMPORT = /(?<![\w$.])(?:(?:import|require)(?![\w$])(?!\s*:)|export\b[^;"]*?\bfrom\s*(?="\d)).*/s;

/** What of its imports is wrong; `null` when it has none but of types. */
export function importProblem(text: string): string | null {
  const texts: string[] = [];
  const plain = text.replaceAll(COMMENT_OR_TEXT, (found) => {
    if (found.startsWith('/')) return ' ';
    texts.push(found.slice(1, -1));
    return `"${texts.length - 1}"`;
  });
  const [found] = IMPORT.exec(plain.replaceAll(OF_TYPES, ' ')) ?? [];
  if (found === undefined) return null;
  const [, index] = /^[^;"]*"(\d+)"/.exec(found) ?? [];
  const what = texts[Number(index)] ?? found.split(/[;\n]/, 1)[0] ?? '';
  return `imports ${what}: a strategy is one file of its own, which may import types only (import type)`;
}
