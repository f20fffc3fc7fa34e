import type { YAMLError } from 'yaml';

/** The parser's findings in words; what is not listed has a clear message of the parser's own. */
const WORDS: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'a tab indents this line; indent with spaces',
  MULTIPLE_DOCS: 'a second document starts here (---); keep only one',
  RESOURCE_EXHAUSTION: 'this is nested too deeply; flatten it',
  TAG_RESOLVE_FAILED: 'a tag (!...) stands before this value; write the plain value',
  MULTILINE_IMPLICIT_KEY: 'a key and its value must stand on one line; is a colon missing?',
  BLOCK_AS_IMPLICIT_KEY: 'there is a second colon on this line; put quotes around the text that holds it',
  BAD_SCALAR_START: 'a value cannot start with this character; put quotes around it',
};

/** What is wrong with a YAML text, in words for people. */
export function yamlProblem(error: Pick<YAMLError, 'code' | 'message' | 'pos'>, text: string): string {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^[^\s:]+/.exec(text.slice(error.pos[0]))?.[0] ?? '';
    return `${key}: this key is written twice here; keep one of them`;
  }
  return WORDS[error.code] ?? lowerFirst(error.message);
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
